import IMDebugger
import IMShell

@testable import IMRepl

/// Reads the bytes as a script of the shell, as a script of the replay prompt, and as single lines that a user types.
@_cdecl("LLVMFuzzerTestOneInput")
public func readScript(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    do {
        _ = try ScriptFile.parse(bytes, named: "fuzzed", origin: .file, variables: [])
    } catch {
        // The text of the error shows a position in the script, so it is computed too.
        _ = "\(error)"
    }
    _ = try? ReplayScript(bytes, named: "fuzzed")
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        guard let statement = try? Statement.parse(String(line)) else { continue }
        _ = try? CommandParser.parse(statement)
        _ = Secrets.redacted(statement.source)
    }
    return 0
}
