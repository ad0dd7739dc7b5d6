import Foundation
import SansIO
import Testing

@testable import IMDebugger
@testable import IMExport
@testable import IMRepl
@testable import IMText

/// Tests of the quoting in each export format. A text is never interpreted as syntax, no part of it is hidden from the
/// reader, and a parser of the format reads the original text.
@Suite struct QuotingTests {
    /// Extreme texts, single and in random combinations.
    private static let texts: [String] = {
        var random = SeededRandom(seed: 7)
        return Extremes.texts
            + (0..<600).map { _ in (0...random.below(3)).map { _ in random.pick(Extremes.texts) }.joined() }
    }()

    private func isOpen(_ text: String) -> Bool { !text.unicodeScalars.contains(where: VisibleText.isHidden) }

    @Test func aVisibleTextIsReadBack() {
        for text in Self.texts {
            let visible = VisibleText.of(text)
            #expect(isOpen(visible))
            #expect(same(VisibleText.original(of: visible), text))
        }
        #expect(VisibleText.of("a\u{202E}b\n\\u{41}\\x") == "a\\u{202e}b\\u{a}\\u{5c}u{41}\\x")
    }

    @Test func aWordOfAScriptIsReadBack() throws {
        for text in Self.texts {
            for word in [text.quotedIfNeeded, text.asArgument, text.quoted] {
                #expect(isOpen(word))
                let script = try Script.parse(
                    "#! imrepl script 1\n# profile: nim\nrec mark \(word)\nwait 1s\n", named: "a")
                #expect(script.statements.count == 2)
                #expect(script.statements[0].words.count == 3)
                #expect(same(script.statements[0].words[2].literal ?? "", text), "\(word)")
            }
            let statement = try #require(try Statement.parse("a \(text.asArgument)"))
            #expect(!statement.words[1].mayBeOption)
        }
    }

    @Test func theNamesOfAScriptAreQuoted() {
        let names = ScriptNames(Self.texts + ["phone", "client-1", "phone"])
        var seen: [String: String] = [:]
        for text in Self.texts + ["phone", "client-1"] {
            #expect(Lexer.isClientName(names[text]))
            if let other = seen[names[text]] { #expect(other == text) }
            seen[names[text]] = text
        }
        #expect(names["phone"] == "phone")
    }

    @Test func aLiteralOfSwiftIsReadBack() {
        for text in Self.texts {
            let escaped = SwiftTestExport.escaped(text)
            #expect(isOpen(escaped))
            #expect(same(unescaped(escaped) ?? "", text))
            let lines = SwiftTestExport(script: [text.quoted, "# \(VisibleText.of(text))"], stem: text).lines
            #expect(lines.allSatisfy { isOpen($0.replacingOccurrences(of: "\t", with: " ")) })
            // The script is one multi-line literal. No other line contains its delimiter.
            let mark = lines.last { $0.hasPrefix("        \"\"\"#") }?.trimmingCharacters(in: .whitespaces) ?? "none"
            #expect(lines.filter { $0.contains(mark) }.count == 1)
            let fence = String(mark.dropFirst(3))
            #expect(lines.contains("    private static let script = \(fence)\"\"\""))
            #expect(!lines.contains { $0.contains("\\\(fence)") })
        }
    }

    @Test func aTextOfMarkdownIsReadBack() {
        for text in Self.texts {
            let escaped = ReportDocument.escaped(text)
            #expect(isOpen(escaped))
            var plain = ""
            var isEscape = false
            for scalar in escaped.unicodeScalars {
                if !isEscape, scalar == "\\" {
                    isEscape = true
                    continue
                }
                #expect(isEscape || !"|`*_[]<>~$".unicodeScalars.contains(scalar))
                plain.unicodeScalars.append(scalar)
                isEscape = false
            }
            #expect(
                same(
                    VisibleText.original(of: plain.replacingOccurrences(of: "&amp;", with: "&", options: .literal)),
                    text))
        }
    }

    @Test func aTextOfADiagramIsReadBack() throws {
        for text in Self.texts {
            let escaped = MermaidDiagram.escaped(text)
            #expect(isOpen(escaped))
            var plain = ""
            var rest = escaped.unicodeScalars[...]
            while let scalar = rest.popFirst() {
                guard scalar == "#" else {
                    #expect(!";<>&\"%`{}".unicodeScalars.contains(scalar))
                    plain.unicodeScalars.append(scalar)
                    continue
                }
                let digits = rest.prefix { $0 != ";" }
                rest = rest.dropFirst(digits.count + 1)
                plain.unicodeScalars.append(try #require(UInt32(String(digits)).flatMap(Unicode.Scalar.init)))
            }
            #expect(same(VisibleText.original(of: plain), text))
        }
    }

    @Test func theTitleOfThePageIsReadBack() {
        for text in Self.texts {
            let escaped = HTMLText.escaped(VisibleText.of(text))
            #expect(isOpen(escaped))
            #expect(!escaped.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) })
            var plain = escaped
            for (name, scalar) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
                plain = plain.replacingOccurrences(of: name, with: scalar, options: .literal)
            }
            #expect(same(VisibleText.original(of: plain), text))
        }
    }

    @Test func aTextOfJSONIsReadBack() throws {
        for text in Self.texts {
            for quoted in [JSONText.quoted(text), JSONText.line(text)] {
                #expect(isOpen(quoted))
                let read = try JSONSerialization.jsonObject(with: Data("[\(quoted)]".utf8)) as? [String]
                #expect(same(read?.first ?? "", text))
            }
            let shown = JSONText.shown(text)
            #expect(!shown.unicodeScalars.contains { "<>&".unicodeScalars.contains($0) })
            let read = try JSONSerialization.jsonObject(with: Data("[\(shown)]".utf8)) as? [String]
            #expect(same(VisibleText.original(of: read?.first ?? ""), text))
        }
    }

    @Test func aLiteralOfLuaIsReadBack() {
        for text in Self.texts {
            var bytes = Array(LuaText.quoted(text).utf8)
            #expect(bytes.removeFirst() == UInt8(ascii: "\"") && bytes.removeLast() == UInt8(ascii: "\""))
            var plain: [UInt8] = []
            var index = 0
            while index < bytes.count {
                #expect((0x20..<0x7F).contains(bytes[index]) && bytes[index] != UInt8(ascii: "\""))
                if bytes[index] != UInt8(ascii: "\\") {
                    plain.append(bytes[index])
                    index += 1
                } else if let number = UInt8(String(decoding: bytes[(index + 1)...].prefix(3), as: UTF8.self)) {
                    plain.append(number)
                    index += 4
                } else {
                    plain.append(bytes[index + 1])
                    index += 2
                }
            }
            #expect(plain == Array(text.utf8))
        }
    }

    // MARK: Reading

    /// True if both have the same Unicode scalars. Swift's `==` also accepts equivalent scalars.
    private func same(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    }

    /// The value of a Swift string literal with this content; nil if the content would end the literal or interpolate.
    private func unescaped(_ text: String) -> String? {
        var plain = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                if scalar == "\"" { return nil }
                plain.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "\\": plain += "\\"
            case "\"": plain.unicodeScalars.append("\"")
            case "u":
                let digits = rest.dropFirst().prefix { $0 != "}" }
                rest = rest.dropFirst(digits.count + 2)
                guard let value = UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init) else { return nil }
                plain.unicodeScalars.append(value)
            default: return nil
            }
        }
        return plain
    }
}
