import IMProfiles
import IMSession
import IMShell
import IMText
import Recorder

extension ShellError {
    /// Runs `body`. An error of a filter becomes a ``ShellError`` with the position of the error.
    static func reportingFilter<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FilterError {
            throw ShellError(message: error.text, reason: .usage)
        }
    }

    /// Runs `body`, which reads the recording at `path`. An error of the recording becomes a ``ShellError`` with the path.
    static func reportingDamage<Value>(of path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SessionError {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
    }
}

extension SessionReader {
    /// The dialect in which the events are printed. A recording of another behaviour version is permitted: no machine
    /// runs, and only the texts come from this version.
    ///
    /// - Throws: ``ShellError`` for a profile that this version does not have, and for a session of another format.
    func printedDialect(_ path: String) throws -> any Dialect {
        do {
            try requireFormat(of: IMSessionSchema(), sameBehaviour: false)
            return try header.dialect()
        } catch {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
    }
}
