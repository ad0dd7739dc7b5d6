import Testing

@testable import Shadows

@Suite struct SourceCopyTests {
    private func copy(_ source: String) -> String {
        SourceCopies(of: [source]).copy(of: source, path: "/app/A.swift").text
    }

    @Test func attributesOfObjectiveCAreRemoved() {
        let text = copy("@objc(name:) public dynamic var a = 1 // @objc\nlet b = \"@objc\"")
        let first = "#sourceLocation(file: \"/app/A.swift\", line: 1)\n"
        #expect(text == first + "             public         var a = 1 // @objc\nlet b = \"@objc\"\n")
    }

    @Test func optionalMethodsHaveDefaults() {
        let text = copy(
            """
            @objc public protocol P {
                @objc optional func a(_ b: (Int) -> Int,
                                      c: Int)
                optional func d() -> String?
                func e()
            }
            let f = p.a?({ $0 }, c: 1)
            let g = p.other?()
            """)
        #expect(text.contains("\nextension P {\n    public func a(_ b: (Int) -> Int,"))
        #expect(text.contains(" c: Int) {}"))
        #expect(text.contains("\n    public func d() -> String? { nil }\n}"))
        #expect(text.contains("p.a({ $0 }, c: 1)"))
        #expect(text.contains("p.other?()"))
        #expect(text.contains("         func d() -> String?\n    func e()\n}"))
    }

    @Test func selectorsAreMethods() {
        let text = copy(
            """
            extension Outer.Page {
                func start() { if a { add(#selector(self.end(_:))); add(#selector(Other.end)) } }
            }
            """)
        #expect(text.contains("add(Selector(Outer.Page.end(_:))); add(Selector(Other.end))"))
    }

    @Test func variablesOfTestsAreReported() {
        let names = variableNames(in: ["let a = 1\nstruct B {\n static var c = 2\n let d = 3\n}\n@MainActor let e = 1"])
        #expect(names == ["a", "c", "e"])
        #expect(isTestFile("import Foundation\nimport Testing\n"))
        #expect(!isTestFile("import UIKit"))
    }
}
