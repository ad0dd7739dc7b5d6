import Foundation
import IMDialects
import IMWorld
import Recorder

/// `sessions`: what recordings there are and what they are about.
struct SessionListing {
    let files: RecordingFiles
    let say: (String) -> Void

    func perform(_ action: SessionsAction) throws {
        switch action {
        case .list: list()
        case .show(let name): try show(name)
        case .search:
            throw EntryError(
                message: "searching sessions is not built yet; 'imrepl show FILE --json' gives lines to search in",
                outcome: .usage)
        }
    }

    private func list() {
        let paths = files.all()
        if paths.isEmpty { return say("no recording in '\(files.folder)' yet") }
        for path in paths {
            do throws(SessionError) {
                let reader = try SessionReader(path: path)
                let torn = reader.completeness == .closed ? "" : "  (not closed)"
                say("\(path)  \(reader.header.profile)  \(reader.eventCount) events  \(reader.header.title)\(torn)")
            } catch {
                say("\(path)  unreadable: \(error)")
            }
        }
    }

    private func show(_ name: String) throws {
        let path = try files.find(name)
        let reader = try RecordingFiles.open(path)
        say("file       \(path)")
        say("title      \(reader.header.title)")
        say("profile    \(reader.header.profile)")
        say("made by    \(reader.header.application), \(reader.header.os)")
        for parameter in reader.header.parameters {
            let padding = String(repeating: " ", count: max(1, 11 - parameter.key.count))
            say("\(parameter.key)\(padding)\(parameter.value)")
        }
        say("nodes      \(reader.nodes.filter { $0 != "session" }.joined(separator: ", "))")
        say("events     \(reader.eventCount)")
        say("complete   \(reader.completeness == .closed ? "yes" : "no: \(reader.completeness)")")
    }
}
