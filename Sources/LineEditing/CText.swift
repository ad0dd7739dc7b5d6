import CEditLine
import Foundation

/// Strings across the border to C.
enum CText {
    /// A copy from malloc, which the C side frees.
    static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

    static func string(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
}

extension [String] {
    /// Each line with a newline behind it.
    var terminated: String { map { $0 + "\n" }.joined() }
}

extension LineEditorError {
    init(_ why: cel_open_result) {
        switch why {
        case .no_terminal: self = .notEditable
        case .edit_off: self = .editingOff
        case .busy: self = .busy
        case .ok, .failed: self = .unavailable
        }
    }
}

/// Reading without echo.
enum Secret {
    /// - Parameter editor: its events are shown meanwhile; nil reads from the bare terminal.
    static func read(_ editor: OpaquePointer?, prompt: String) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard cel_read_secret(editor, prompt, &text) == 1, let text else { return nil }
        defer { cel_free_secret(text) }
        return String(cString: text)
    }
}
