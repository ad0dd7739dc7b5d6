import IMCheckers
import IMClient
import IMDebugger
import IMExplorer
import IMExport
import IMProfiles
import IMProtocol
import IMSession
import IMShell
import IMSimulation
import Recorder
import SansIO

/// Self-checks of exports. The script of a recording must give the same session, byte for byte. A redacted recording
/// must verify and contain no original names. The other formats must omit no event.
///
/// Each check returns the kind of a violation; nil if there is none.
enum ExportSelfChecks {
    static let all: [RecordingSelfChecks.SelfCheck] = [
        { scenario, _ in try scriptMakesTheSame(scenario) },
        { scenario, _ in try nothingIsLeft(scenario) },
        { _, bytes in try DiagramSelfChecks.failure(bytes) },
    ]

    /// A recording of the scenario as the shell would write it.
    private static func recording(of scenario: Scenario, heals: Bool = true, mark: String? = nil) throws -> [UInt8] {
        try ScenarioRecording.bytes(
            of: scenario, heals: heals, mark: mark, summarize: EventLineFormatter(scenario.profile).line)
    }

    // MARK: Scripts

    static func scriptMakesTheSame(_ scenario: Scenario) throws -> String? {
        let bytes = try recording(of: try typed(scenario), heals: false)
        let reader = try SessionReader(bytes: bytes)
        var export = try ScriptExport(ExportedSession(reader: reader, path: "scenario"))
        let lines = export.script()
        let again: [UInt8]
        do {
            again = try played(lines)
        } catch is ShellError {
            return "the script of a recording cannot be run"
        } catch is ScriptFailure {
            return "the script of a recording fails"
        }
        return again == bytes ? nil : "the script of a recording creates another session"
    }

    /// The part of a scenario that a script can express. A recording does not contain steps that the world refused,
    /// although a refused login step may have used up a token. It does not contain the time of the steps during a sleep
    /// either, because their inputs are recorded when the device wakes.
    private static func typed(_ scenario: Scenario) throws -> Scenario {
        guard let dialect = Dialects.named(scenario.profile) else { return scenario }
        let world = try SimulatedWorld(scenario.configuration())
        var typed = scenario
        typed.steps = (scenario.steps + scenario.ending(dialect)).compactMap { step in
            if let wait = step.waiting {
                _ = world.run(until: world.core.now + wait) { _ in false }
                return step
            }
            if let id = world.core.node(named: step.node), world.core.isAsleep(id) { return nil }
            return (try? world.core.perform(step)).map { step }
        }
        return typed
    }

    private static func played(_ lines: [String]) throws -> [UInt8] {
        let source = Array(lines.joined(separator: "\n").utf8)
        let script = try ScriptFile.parse(source, named: "scenario", origin: .file, variables: [])
        let plan = try WorldPlan(
            WorldSettings(), head: script.metadata, defaultKind: .simulated, isScripted: true,
            title: script.metadata.title ?? "")
        try ScriptFile.require(script, for: plan.dialect)
        let sink = MemorySink()
        let shell = try Shell(plan, recording: .memory(sink), output: LineOutput.silent, isInteractive: false)
        defer { try? shell.close() }
        try ScriptRunner(shell: shell, script: script).run()
        try shell.close()
        return sink.bytes
    }

    // MARK: Redaction

    static func nothingIsLeft(_ scenario: Scenario) throws -> String? {
        let bytes = try recording(of: scenario, mark: "alice and carol told Bob")
        let reader = try SessionReader(bytes: bytes)
        let redacted: [UInt8]
        do {
            redacted = try Redaction.redacted(reader, path: "scenario").bytes
        } catch is ExportError {
            return "a recording cannot be redacted"
        }
        let result = try SessionReader(bytes: redacted)
        if !scenario.hasGeneratedData,
            try Verifier.verify(result, schema: IMSessionSchema()) != .verified(events: reader.eventCount)
        {
            return "a redacted recording does not verify"
        }
        let (before, after) = try (DecodedSession(reader), DecodedSession(result))
        let originals = Originals(before)
        let isLeft =
            originals.firstLeft(in: redacted) != nil || originals.firstFieldWithOriginal(in: after) != nil
            || originals.isNamed(in: before, and: after)
        return isLeft ? "a redacted recording contains an original name or text" : nil
    }
}

// MARK: Originals

extension ExportSelfChecks {
    /// The personal data in a recording: users, devices, texts, channels and credentials.
    struct Originals {
        private var originalTexts: Set<String> = []
        private var users: Set<String> = []
        /// Shorter texts occur in many files by chance, so they are not searched for.
        private static let lengthMin = 4
        /// The prefix of the texts in generated scenarios.
        private static let textPrefix = "text-"

        init(_ decoded: DecodedSession) {
            for event in decoded.events {
                // Texts of apps can occur in any field.
                for fact in event.facts { originalTexts.formUnion(Self.texts(in: fact.value)) }
                switch event.content {
                case .start(let start):
                    if case .client(_, let device, _, _, _, _) = start.body {
                        originalTexts.formUnion([device.id, device.name])
                    }
                case .input(.clientCommand(_, let command)): take(command)
                case .effect(.send(_, let frame)): take(frame.body)
                default: break
                }
            }
            // The names that a world gives to tokens from the command line are not personal data.
            originalTexts = originalTexts.filter { !$0.isEmpty && !$0.hasPrefix("given-") }
        }

        /// The generated texts in a value, which may be a text or an object with texts.
        private static func texts(in value: String) -> [String] {
            guard value.utf8.count >= textPrefix.utf8.count, value.contains(textPrefix) else { return [] }
            if value.hasPrefix(textPrefix) { return [value] }
            return value.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
                .filter { $0.hasPrefix(textPrefix) }
        }

        private mutating func take(_ command: ClientCommand) {
            switch command {
            case .login(let call):
                originalTexts.formUnion([call.user, call.credential])
                users.insert(call.user)
            case .accountCall(let user, let credential, _):
                originalTexts.formUnion([user, credential])
                users.insert(user)
            case .renewToken(let credential, _): originalTexts.insert(credential)
            case .send(let to, let text, _): originalTexts.formUnion([to, text])
            case .join(let channel), .leave(let channel): originalTexts.insert(channel)
            case .setAttributes(_, let fields):
                originalTexts.formUnion(fields.map(\.value).filter { $0.utf8.count > 2 })
            default: break
            }
        }

        private mutating func take(_ frame: FrameBody) {
            switch frame {
            case .login(let login): originalTexts.formUnion([login.user, login.device.id])
            case .message(let message): originalTexts.formUnion([message.from, message.text])
            default: break
            }
        }

        /// The first original text whose bytes occur in the file.
        func firstLeft(in bytes: [UInt8]) -> String? {
            let long = originalTexts.filter { $0.utf8.count >= Self.lengthMin }.sorted()
            return long.first { word in bytes.holds(Array(word.utf8)) }
        }

        /// True if a client whose original name contains a user's name still has that name. This also covers names that
        /// are too short for the search in the bytes.
        func isNamed(in original: DecodedSession, and redacted: DecodedSession) -> Bool {
            let named = Set(original.events.map(\.node)).filter { node in
                users.contains { $0.utf8.count >= 3 && node.contains($0) }
            }
            return redacted.events.contains { named.contains($0.node) }
        }

        /// The first field whose value is equal to an original text.
        func firstFieldWithOriginal(in decoded: DecodedSession) -> String? {
            for event in decoded.events {
                for fact in event.facts where originalTexts.contains(fact.value) {
                    return "\(fact.name)=\(fact.value) \(event.kind)"
                }
            }
            return nil
        }
    }
}

extension [UInt8] {
    fileprivate func holds(_ word: [UInt8]) -> Bool {
        guard let first = word.first, count >= word.count else { return false }
        return withUnsafeBufferPointer { bytes in
            for offset in 0...(bytes.count - word.count) where bytes[offset] == first {
                if bytes[offset..<(offset + word.count)].elementsEqual(word) { return true }
            }
            return false
        }
    }
}
