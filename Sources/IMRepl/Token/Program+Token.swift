import Foundation
import IMShell
import IMTokens

extension Program {
    func token(_ request: TokenRequest) async throws -> Outcome {
        try await onOwnThread {
            let text = try TokenInput.token(request.files)
            var context = TokenContext(now: Int64(Date().timeIntervalSince1970))
            context.secret = try request.secretFile.map(TokenInput.secret)
            (context.app, context.user) = (request.app, request.user)
            (context.channel, context.clientID) = (request.channel, request.clientID)
            if let session = request.session {
                guard session != "-" || request.files.contains(where: { $0 != "-" }) else {
                    throw ShellError(
                        message: "the token and --session cannot both come from the standard input", reason: .usage)
                }
                let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(session)
                context.logins = try SessionLogins.read(path)
            }
            let facts: TokenFacts
            do throws(TokenError) { facts = try TokenFacts(reading: text, context) } catch {
                throw ShellError(message: error.description, reason: .failed)
            }
            let output = TerminalOutput(colour: false, form: request.settings.asJSON ? .json : .text)
            return try ending(output) { output in
                let report = TokenReport(facts: facts, context: context)
                if output.form == .json { output.object(report.object) } else { report.lines.forEach(output.line) }
                return facts.mistakes.isEmpty ? .ok : .failed
            }
        }
    }
}

/// Reads the token and the secret. No error contains a name or a value of the input: it may be a token or a secret.
private enum TokenInput {
    static func token(_ files: [String]) throws -> String {
        guard !files.contains(where: isToken) else {
            throw ShellError(
                message: "other users can see arguments, so no token is read from them; "
                    + "write the token to a file or to the standard input", reason: .usage)
        }
        guard files.count <= 1 else { throw ShellError(message: "only one file can be read", reason: .usage) }
        guard let path = files.first, path != "-" else {
            if isatty(STDIN_FILENO) != 0 {
                StandardStream.error.line("paste the token, then press Return and Ctrl-D")
            }
            return String(decoding: try bytes(of: .standardInput, "the standard input"), as: UTF8.self)
        }
        return String(decoding: try bytes(path, "the token's file"), as: UTF8.self)
    }

    static func secret(_ path: String) throws -> [UInt8] {
        var secret = try bytes(path, "the secret's file")
        while secret.last == UInt8(ascii: "\n") || secret.last == UInt8(ascii: "\r") { secret.removeLast() }
        guard !secret.isEmpty else { throw ShellError(message: "the secret's file is empty", reason: .environment) }
        return secret
    }

    private static func isToken(_ argument: String) -> Bool {
        !FileManager.default.fileExists(atPath: argument) && TokenFacts.looksLikeToken(argument)
    }

    private static func bytes(_ path: String, _ what: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ShellError(
                message: "\(what) cannot be read: \(String(cString: strerror(errno)))", reason: .environment)
        }
        return try bytes(of: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), what)
    }

    /// Reads at most one byte more than a token may have, so that a longer text is detected.
    private static func bytes(of handle: FileHandle, _ what: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            while bytes.count <= TokenFacts.bytesMax,
                let more = try handle.read(upToCount: TokenFacts.bytesMax + 1 - bytes.count), !more.isEmpty
            { bytes += more }
        } catch {
            throw ShellError(message: "\(what) cannot be read", reason: .environment)
        }
        return bytes
    }
}
