import Foundation
import Shadows

/// Writes the shadows, and says what of the app's sources gets around them: `ShadowsTool OUTPUT SOURCE…`, or
/// `ShadowsTool --check SOURCE…`, which ends with 1 if there is any.
@main
struct ShadowsTool {
    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        guard let first = arguments.popFirst() else {
            print("usage: ShadowsTool OUTPUT SOURCE…, or ShadowsTool --check SOURCE…")
            exit(2)
        }
        if first != "--check" { try writeIfChanged(shadowsText, to: first) }
        var count = 0
        for path in arguments {
            for escape in findEscapes(in: try String(contentsOfFile: path, encoding: .utf8)) {
                print("\(path):\(escape.line): warning: \(escape.words) \(escape.advice)")
                count += 1
            }
        }
        if first == "--check", count > 0 { exit(1) }
    }

    /// A file that is left alone is not compiled again.
    private static func writeIfChanged(_ text: String, to path: String) throws {
        if let known = try? String(contentsOfFile: path, encoding: .utf8), known == text { return }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
