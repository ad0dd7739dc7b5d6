import ArgumentParser
import Foundation
import IMDebugger
import IMExport
import IMProfiles
import IMShell

extension ImreplCommand {
    struct Rehearse: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.rehearse.rawValue, abstract: TerminalCommand.rehearse.abstract,
            discussion: """
                EXAMPLES:
                  imrepl rehearse login.imr --from agora-chat@4 --to agora-chat@5
                  imrepl rehearse sessions/nim --from nim@v1 --to nim@v2

                The app's calls and the faults come at the same times with both versions. The output lists the \
                callbacks and results that differ, each with the line of the vendor's guide if there is one: - only \
                with the earlier version, + only with the later one, ~ at another time or in another order. If \
                the guide has no line for a difference and 'why' leads back to an earlier difference, the guide's line \
                of that one is printed. At the end it lists the calls that the later version removed, even if the \
                scenario does not use them, and what the vendor documents but the versions here do not have.
                Exit codes: 0 no difference, 1 a difference, 2 usage.
                """)

        @Argument(help: "A script, a recording, or a folder of scripts.")
        var file: String

        @Option(name: .customLong("from"), help: ArgumentHelp("The version that the app uses.", valueName: "version"))
        var fromVersion: String

        @Option(name: .customLong("to"), help: ArgumentHelp("The version to compare with.", valueName: "version"))
        var toVersion: String

        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            let known = ProfileVersion.all.map(\.name)
            for name in [fromVersion, toVersion] where !known.contains(name) {
                throw ValidationError("there is no version '\(name)'; use one of: \(known.joined(separator: ", "))")
            }
            guard ProfileVersion.base(of: fromVersion) == ProfileVersion.base(of: toVersion) else {
                throw ValidationError("'\(fromVersion)' and '\(toVersion)' are versions of different systems")
            }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.rehearse(
                RehearseRequest(
                    file: file, fromVersion: fromVersion, toVersion: toVersion, settings: common.settings(jsonOption)))
        }
    }
}

struct RehearseRequest: Equatable, Sendable {
    var file: String
    var fromVersion: String
    var toVersion: String
    var settings: CommonSettings
}

extension Program {
    func rehearse(_ request: RehearseRequest) async throws -> Outcome {
        try await onOwnThread {
            try ending(output(request.settings)) { output in
                var count = 0
                for script in try scripts(request) {
                    var rehearsal = Rehearsal(script, from: request.fromVersion, to: request.toVersion)
                    let differences = try rehearsal.differences()
                    count += differences.count
                    for difference in differences { print(difference, of: script.name, to: output) }
                }
                if output.form == .text { output.line(count == 0 ? "no difference" : "differences: \(count)") }
                for line in ProfileVersion.removed(from: request.fromVersion, to: request.toVersion) {
                    if let rows = output.rows {
                        rows([("sign", .text("removed")), ("event", .text(line))])
                    } else {
                        output.line("removed in \(request.toVersion): \(line)")
                    }
                }
                for (version, line) in ProfileVersion.notModelled(from: request.fromVersion, to: request.toVersion) {
                    if let rows = output.rows {
                        rows([("sign", .text("not-modelled")), ("version", .text(version)), ("event", .text(line))])
                    } else {
                        output.line("not modelled in \(version): \(line)")
                    }
                }
                return count == 0 ? .ok : .failed
            }
        }
    }

    private func print(_ difference: Rehearsal.Difference, of script: String, to output: TerminalOutput) {
        guard let seen = difference.observation else { return }
        var sign = difference.before != nil ? "-" : "+"
        var later = ""
        if let before = difference.before, let after = difference.after {
            sign = "~"
            later = before.time == after.time ? " in another order" : " at +\(after.time.secondsText)"
        }
        if let rows = output.rows {
            return rows([
                ("script", .text(script)), ("sign", .text(sign)), ("node", .text(seen.node)),
                ("time", .text("+\(seen.time.secondsText)")), ("event", .text(seen.text + later)),
                ("rule", .text(difference.note ?? "")),
            ])
        }
        output.line("\(script): \(sign) +\(seen.time.secondsText) \(seen.node) \(seen.text)\(later)")
        output.line("    \(difference.note ?? "no line of the vendor's guide explains it")")
    }

    /// The scripts for the earlier version. Scripts of a folder that are for other systems are omitted.
    private func scripts(_ request: RehearseRequest) throws -> [CheckedScript] {
        let base = ProfileVersion.base(of: request.fromVersion)
        func isOfSystem(_ script: CheckedScript) -> Bool {
            [base, request.fromVersion].contains(script.metadata.profile ?? WorldPlan.defaultProfile)
        }
        if Folder.exists(request.file) {
            return try Folder.files(in: request.file, suffix: ".imr")
                .map { try ScriptFile.read($0, variables: []) }.filter(isOfSystem)
        }
        let script: CheckedScript
        if request.file.hasSuffix(".imr") {
            script = try ScriptFile.read(request.file, variables: [])
        } else {
            let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
            let text = try RecordingFiles.read(path) {
                try ExportedSession(reader: $0, path: path).text(as: .script)
            }
            script = try ScriptFile.parse(Array(text.utf8), named: path, origin: .file, variables: [])
        }
        guard isOfSystem(script) else {
            throw ShellError(message: "'\(request.file)' is not for \(request.fromVersion)", reason: .usage)
        }
        return [script]
    }
}
