import IMExport
import IMProtocol
import IMSession
import IMTokens
import Recorder

/// Finds the logins in a session: the times at which clients send a login frame. In a session of a server alone, the
/// times at which the server receives one.
package enum SessionLogins {
    /// - Throws: ``ShellError`` or ``ExportError`` if this version cannot read the file.
    package static func read(_ path: String) throws -> [TokenContext.Login] {
        let reader = try RecordingFiles.open(path)
        _ = try ExportedSession(reader: reader, path: path)
        let schema = IMSessionSchema()
        let scanner = reader.makeScanner()
        var logins: [TokenContext.Login] = []
        do throws(SessionError) {
            while let view = try scanner.next() {
                let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
                guard let user = user(event, isOfServerAlone: reader.isOfServerAlone) else { continue }
                let (time, overflow) = reader.header.epochNanoseconds.addingReportingOverflow(event.time.nanoseconds)
                guard !overflow else { continue }
                logins.append(.init(event: event.number, time: time / 1_000_000_000, user: user))
            }
        } catch {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
        return logins
    }

    private static func user(_ event: SessionEvent, isOfServerAlone: Bool) -> String? {
        switch event.content {
        case .effect(.send(_, let frame)) where !isOfServerAlone, .input(.frame(_, let frame)) where isOfServerAlone:
            if case .login(let login) = frame.body { login.user } else { nil }
        default: nil
        }
    }
}
