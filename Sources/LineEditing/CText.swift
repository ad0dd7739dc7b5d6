import CEditLine
import Foundation

/// Converts strings between Swift and C.
enum CText {
    /// A copy that is allocated with malloc. The C code frees it.
    static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

    static func string(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
}

extension [String] {
    /// The lines as one text, each followed by a newline.
    var terminated: String { map { $0 + "\n" }.joined() }
}

extension LineEditorError {
    init(_ result: cel_open_result) {
        switch result {
        case .no_terminal: self = .notEditable
        case .edit_off: self = .editingOff
        case .busy: self = .busy
        case .ok, .failed: self = .unavailable
        }
    }
}

/// Reads a secret from the terminal; the typed characters are not shown.
enum Secret {
    /// - Parameter editor: the handle of an open editor, which shows posted lines while the user types; nil reads
    ///   directly from the terminal.
    static func read(_ editor: OpaquePointer?, prompt: String) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard cel_read_secret(editor, prompt, &text) == 1, let text else { return nil }
        defer { cel_free_secret(text) }
        return String(cString: text)
    }
}
