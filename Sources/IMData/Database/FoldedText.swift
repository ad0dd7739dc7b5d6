/// Texts as a search compares them: without regard to case and width, in any script, from one character on (ZIM-9).
package enum FoldedText {
    package static func folded(_ text: String) -> String {
        var narrow = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // The full width forms of what ASCII has.
            case 0xFF01...0xFF5E: narrow.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
            case 0x3000: narrow.append(" ")
            default: narrow.append(scalar)
            }
        }
        return String(narrow).lowercased()
    }

    /// Whether every keyword occurs in one of the texts.
    package static func matches(_ texts: [String], _ keywords: [String]) -> Bool {
        let folded = texts.map { Self.folded($0) }
        return keywords.allSatisfy { keyword in
            let keyword = Array(Self.folded(keyword).utf8)
            return folded.contains { $0.utf8.contains(bytes: keyword) }
        }
    }
}

extension String.UTF8View {
    /// UTF-8 says of no character what it says of another, so that bytes can be compared.
    fileprivate func contains(bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return true }
        var rest = self[...]
        while let place = rest.firstIndex(of: first) {
            if rest[place...].starts(with: bytes) { return true }
            rest = rest[index(after: place)...]
        }
        return false
    }
}
