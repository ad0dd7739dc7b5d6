import Foundation

/// Bytes as text, because the simulated server transmits only text: UTF-8 stays readable in a session.
enum DataURL {
    private static let plain = "data:,"
    private static let base64 = "data:;base64,"

    static func text(for data: Data) -> String {
        String(data: data, encoding: .utf8).map { plain + $0 } ?? base64 + data.base64EncodedString()
    }

    /// Nil if the text is not a data URL.
    static func data(in text: String) -> Data? {
        if text.hasPrefix(base64) { return Data(base64Encoded: String(text.dropFirst(base64.count))) }
        return text.hasPrefix(plain) ? Data(text.dropFirst(plain.count).utf8) : nil
    }
}
