import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import Recorder

/// A recording under pseudonyms: the same events of the same kinds at the same times, with other names and texts.
///
/// The inputs of the machines are changed, and the machines run again, so that all effects, the states and the chain
/// are consistent. If a pseudonym leads to another result than its original, nothing is written that would not verify.
///
/// Machines of another behaviour version cannot run again if their results differ. For such a recording the effects are
/// copied under pseudonyms. The copy keeps its version, and its states come from the current machines.
public struct Redaction {
    /// The texts that stay unchanged.
    public struct Options: Sendable {
        /// True to keep the title and marks, except for the names in them.
        var keepsNotes = false

        /// - Parameter keepsNotes: true to keep the title and marks, except for the names in them.
        public init(keepsNotes: Bool = false) {
            self.keepsNotes = keepsNotes
        }
    }

    /// The result of a redaction.
    public struct Summary: Sendable {
        /// The number of events, equal to that of the original.
        public var events: UInt64 = 0
        /// True if the machines of this version produced its effects. False if the effects are copies.
        public var isVerified = true
        /// True if numbers, names of attributes and keys are kept, because the machines calculate with them.
        var keepsCalculated = false

        /// The kept texts, for the command's output.
        public var stays: String {
            "not replaced: kinds, times and states of events, statuses, flags and counts, names of the vendor's API, "
                + (keepsCalculated
                    ? "all numbers and push ids of the tree and names of attributes (the recording computes with them)"
                    : "in the tree, numbers below 1000000, times and push ids near the recording")
        }
        var users = 0
        var devices = 0
        /// The number of channels, keys, labels and other names.
        var otherNames = 0
        var texts = 0
        var notes = 0
        /// Originals whose bytes are still in the result, because the format or a vendor uses the same word.
        public var remaining: [String] = []

        /// `3 users, 2 devices, 14 texts`.
        public var words: String {
            let counts = [
                (users, "user"), (devices, "device"), (otherNames, "other name"), (texts, "text"), (notes, "note"),
            ]
            let shown = counts.enumerated().filter { $0.element.0 > 0 || [0, 1, 3].contains($0.offset) }
            return shown.map { "\($0.element.0) \($0.element.1)\($0.element.0 == 1 ? "" : "s")" }
                .joined(separator: ", ")
        }
    }

    let reader: SessionReader
    /// The file's path, as the user typed it.
    let path: String
    let options: Options

    package init(reader: SessionReader, path: String, options: Options) {
        self.reader = reader
        self.path = path
        self.options = options
    }

    /// Redacts a session file in memory and checks the result: it has the same events at the same times, and verifies
    /// if the machines of this version reproduce the recording.
    ///
    /// - Parameters:
    ///   - reader: the recording. An older format is converted to the current one.
    ///   - path: its name in errors.
    /// - Throws: ``ExportError`` with the reason if it is impossible.
    public static func redacted(
        _ reader: SessionReader, path: String, options: Options = Options()
    ) throws -> (bytes: [UInt8], summary: Summary) {
        let (bytes, summary, _) = try bytes(of: reader, path: path, options: options)
        return (bytes, summary)
    }

    /// The redacted session in memory, checked.
    ///
    /// - Returns: the session's bytes, the summary, and the pseudonyms, for texts that accompany the session.
    /// - Throws: ``ExportError`` with the reason if it is impossible. There are no partial results.
    package static func bytes(
        of reader: SessionReader, path: String, options: Options = Options()
    ) throws -> (bytes: [UInt8], summary: Summary, pseudonyms: Pseudonyms) {
        let redaction = Redaction(reader: reader, path: path, options: options)
        let (sink, summary, pseudonyms) = try redaction.run(
            { MemorySink() }, open: { try SessionReader(bytes: $0.bytes) })
        return (sink.bytes, summary, pseudonyms)
    }

    /// Writes the recording under pseudonyms and checks the result.
    ///
    /// - Parameters:
    ///   - make: starts the output; may be called again.
    ///   - open: reads the output.
    /// - Throws: ``ExportError`` with the reason if it is impossible. The output must be discarded then.
    package func run<Sink: ByteSink>(
        _ make: () throws -> Sink, open: (Sink) throws -> SessionReader
    ) throws -> (sink: Sink, summary: Summary, pseudonyms: Pseudonyms) {
        let source = try source()
        // In a few recordings, machines depend on the order of names or calculate with numbers.
        let attempts: [(PseudonymOrder, keepsCalculated: Bool)] = [
            (.free, false), (.kept, false), (.free, true), (.kept, true),
        ]
        var last: Difference?
        for (order, keepsCalculated) in attempts {
            do {
                return try attempt(order, keepsCalculated, source, make, open)
            } catch let difference as Difference {
                last = difference
            }
        }
        throw ExportError(
            .diverged,
            "\(path): cannot be redacted: with other names event \(last?.number ?? 0) of "
                + "\(last?.node ?? "session") \(last?.reason ?? "differs")")
    }

    private func attempt<Sink: ByteSink>(
        _ order: PseudonymOrder, _ keepsCalculated: Bool, _ source: EffectSource, _ make: () throws -> Sink,
        _ open: (Sink) throws -> SessionReader
    ) throws -> (sink: Sink, summary: Summary, pseudonyms: Pseudonyms) {
        let sink = try make()
        let (summary, pseudonyms) = try write(to: sink, order: order, keepsCalculated, source)
        try prove(try open(sink), source)
        return (sink, summary, pseudonyms)
    }

    /// The event at which the machines behaved differently with the pseudonyms.
    struct Difference: Error {
        var number: UInt64
        var node: String
        var reason: String
    }

    /// The source of the effects of a redacted recording.
    enum EffectSource {
        /// The machines produce them again.
        case machines
        /// The effects are copies of the original ones under pseudonyms.
        case recording
    }

    /// A recording that does not verify before would not verify afterwards.
    private func source() throws -> EffectSource {
        switch try verification(of: reader) {
        // Generated data depends on the names of users. With other names the server would give other answers.
        case .verified: return try hasPopulation() ? .recording : .machines
        case .diverged(let divergence):
            guard BehaviourDifference(reader, divergence: divergence) == nil else { return .recording }
            throw ExportError(
                .diverged,
                "\(path): diverged at event \(divergence.number), so it cannot be redacted; "
                    + "'imrepl verify' shows the difference")
        }
    }

    private func hasPopulation() throws -> Bool {
        var found = false
        try reader.forEach { view in
            guard !found, view.role == .input || view.role == .start else { return }
            switch SessionEvent(view, node: "", schema: IMSessionSchema()).content {
            case .input(.serverCommand(_, .populateData)): found = true
            case .start(let start): found = start.makeMachine().server?.hasPopulation == true
            default: break
            }
        }
        return found
    }

    /// - Throws: ``Difference`` if the result does not verify, or has lost something.
    private func prove(_ result: SessionReader, _ source: EffectSource) throws {
        if source == .machines, case .diverged(let divergence) = try verification(of: result) {
            throw Difference(
                number: divergence.number, node: result.name(of: divergence.node), reason: "does not verify")
        }
        guard result.eventCount == reader.eventCount else {
            throw Difference(number: result.eventCount, node: "session", reason: "is the last of fewer events")
        }
    }

    private func verification(of reader: SessionReader) throws -> Verification {
        do throws(SessionError) {
            return try Verifier.verify(reader, schema: IMSessionSchema(), behaviour: .any)
        } catch {
            throw ExportError(.unreadable, "\(path): \(error)")
        }
    }

    /// Writes the recording under pseudonyms.
    ///
    /// - Throws: ``Difference`` if a machine did something else with them, ``ExportError`` for everything else.
    private func write(
        to sink: any ByteSink, order: PseudonymOrder, _ keepsCalculated: Bool, _ source: EffectSource
    ) throws -> (Summary, Pseudonyms) {
        let dialect: any Dialect
        do { dialect = try reader.header.dialect() } catch { throw ExportError(.unreadable, "\(path): \(error)") }
        do {
            let pseudonyms = Pseudonyms(
                order, keepsCalculated: keepsCalculated,
                epochMilliseconds: Int64(clamping: reader.header.epochNanoseconds / 1_000_000))
            var first = RedactionPass(reader, pseudonyms, options, source)
            try first.collect()
            pseudonyms.assign()
            let search = OriginalSearch(in: sink, for: pseudonyms.entries.map(\.original))
            var second = RedactionPass(reader, pseudonyms, options, source)
            let events = try second.write(to: search, dialect: dialect)
            var summary = Summary(events: events, isVerified: source == .machines, remaining: search.found)
            summary.keepsCalculated = keepsCalculated
            summary.users = pseudonyms.count(.user)
            summary.devices = pseudonyms.count(.device, .model)
            summary.otherNames = pseudonyms.count(.channel, .client, .id, .key, .target, .word)
            summary.texts = pseudonyms.count(.text)
            summary.notes = pseudonyms.count(.note)
            return (summary, pseudonyms)
        } catch let error as SessionError {
            // This error is about the output, whose name the caller has.
            if case .unwritable = error { throw error }
            throw ExportError(.unreadable, "\(path): \(error)")
        } catch let error as RecordError {
            throw ExportError(.unreadable, "\(path): \(error)")
        }
    }
}
