import Foundation
import IMProtocol
import SansIO
import Testing

@testable import IMSession
@testable import Recorder

/// Commands, notifications and states are JSON in a session file, and their keys are names in the code.
/// `FormatKeys.txt` lists the keys, so that this test fails if a renamed property or case changes the format.
@Suite struct FormatKeyTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "FormatKeys.txt")
        .path

    @Test func theKeysOfTheFileFormatStay() throws {
        let names = KeyRecorder.Names()
        for command in FieldSamples.clientCommands where !command.record(CommandID(1)).json.isEmpty {
            try command.encode(to: KeyRecorder(names, below: "(client command)"))
        }
        for command in FieldSamples.serverCommands where !command.record(CommandID(1)).json.isEmpty {
            try command.encode(to: KeyRecorder(names, below: "(server command)"))
        }
        for notification in FieldSamples.notifications where !notification.record.json.isEmpty {
            try notification.encode(to: KeyRecorder(names, below: "(notification)"))
        }
        for start in FieldSamples.starts { try note(start, names) }
        for path in SessionLibrary.recordings { try note(recording: path, names) }

        let lines = names.below.sorted { $0.key < $1.key }.map { key, below in
            "\(key): \(below.sorted().joined(separator: " "))"
        }
        let found = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["IMREPL_WRITE_FORMAT_KEYS"] != nil {
            try found.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        let kept = (try? String(contentsOfFile: Self.path, encoding: .utf8)) ?? ""
        let added = Set(found.split(separator: "\n")).subtracting(kept.split(separator: "\n")).sorted()
        let missing = Set(kept.split(separator: "\n")).subtracting(found.split(separator: "\n")).sorted()
        guard found != kept else { return }
        Issue.record(
            """
            The file format has other keys. A new name of a property or a case gets CodingKeys with the old one. For keys \
            that were added on purpose, IMREPL_WRITE_FORMAT_KEYS=1 writes the file again.
            now: \(added)
            before: \(missing)
            """)
    }

    private func note(_ start: StartRecord, _ names: KeyRecorder.Names) throws {
        try start.body.encode(to: KeyRecorder(names, below: "(start)"))
        guard case .client(_, _, let local, _, _, _) = start.body else { return }
        for received in local.received.users {
            try received.numbers.encode(to: KeyRecorder(names, below: "(received)"))
        }
    }

    /// Collects the keys in the start events of a recording, and in the states of its machines during the recording.
    private func note(recording path: String, _ names: KeyRecorder.Names) throws {
        let reader = try SessionReader(path: path)
        var replay = Replay<IMSessionSchema>()
        var effects: [NodeEffect] = []
        let schema = IMSessionSchema()
        var count = 0
        try reader.forEach { view in
            try replay.apply(view, schema: schema, effects: &effects, nodeNames: reader.nodes)
            effects.removeAll(keepingCapacity: true)
            if view.role == .start { try note(try StartRecord(payload: Array(view.payload)), names) }
            count += 1
            guard count % 16 == 0, let machine = replay[view.node] else { return }
            try machine.encode(to: KeyRecorder(names, below: "(state)"))
        }
    }
}
