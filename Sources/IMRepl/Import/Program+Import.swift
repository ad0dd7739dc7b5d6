import Foundation
import IMLogs
import IMShell
import IMText

extension Program {
    func importLog(_ request: ImportRequest) async throws -> Outcome {
        if request.suggests { return try suggestFormat(request) }
        let output = self.output(request.settings)
        let log = try LogFile.readEvents(request.file, formats: request.formats, profile: request.profile)
        let (sink, path) = try RecordingFiles(dataFolder: request.settings.dataFolder).beginObserved(
            profile: log.profile ?? "", path: request.target, overwrites: request.overwrites)
        do {
            try ObservedSession(log, of: request.file).write(to: sink)
        } catch {
            throw ShellError(message: "cannot write '\(path)': \(error)", reason: .environment)
        }
        if let rows = output.rows {
            rows([
                ("file", .text(path)), ("lines", .number(log.lineCount)), ("understood", .number(log.understoodCount)),
                ("not-understood", .number(log.unknownCount)), ("processes", .number(log.processCount)),
                ("profile", .text(log.profile ?? "")), ("formats", .text(log.formats.joined(separator: " "))),
                ("times", .text(log.hasTimes ? "known" : "unknown")),
            ])
        } else {
            output.line("wrote \(path): \(LogFile.summary(log))")
            output.line("'imrepl show \(path)' prints it; 'imrepl replay \(path)' steps through it")
        }
        return .ok
    }
}
