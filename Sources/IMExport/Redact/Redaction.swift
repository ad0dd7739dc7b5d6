import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import Recorder

/// A recording with pseudonyms: the same events at the same times, with other names and texts.
///
/// Only the inputs are rewritten. The machines run again with them, so that effects, states and causes are consistent.
/// If a machine behaves differently with the pseudonyms, the redaction fails.
///
/// A recording of another behaviour version may give other results with the machines of this version. Then its effects
/// are copied, with pseudonyms. The copy keeps its behaviour version. Its keyframes come from the machines of this
/// version.
public struct Redaction {
    /// The texts that a redaction does not replace.
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
        /// True if the machines of this version produced the effects. False if the effects are copies of the recorded
        /// ones.
        public var isVerified = true
        /// True if numbers, names of attributes and keys are not replaced, because the machines calculate with them.
        var keepsCalculated = false

        /// A line for the command's output that lists what a redaction does not replace.
        public var unreplacedText: String {
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
        /// Originals that were found in the bytes of the result, because the format or a vendor uses the same word.
        public var remaining: [String] = []

        /// The numbers of replaced names and texts, such as `3 users, 2 devices, 14 texts`.
        public var countsText: String {
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

    /// Redacts a session file in memory and checks the result. The result has the same events at the same times. If the
    /// machines of this version reproduce the recording, they also reproduce the result.
    ///
    /// - Parameters:
    ///   - reader: the recording. An older format is converted to the current one.
    ///   - path: the path of the recording, for errors.
    /// - Throws: ``ExportError`` if the recording cannot be redacted.
    public static func redacted(
        _ reader: SessionReader, path: String, options: Options = Options()
    ) throws -> (bytes: [UInt8], summary: Summary) {
        let (bytes, summary, _) = try bytes(of: reader, path: path, options: options)
        return (bytes, summary)
    }

    /// Redacts a session in memory and checks the result.
    ///
    /// - Returns: the session's bytes, the summary, and the pseudonyms, for texts that accompany the session.
    /// - Throws: ``ExportError`` if the recording cannot be redacted. There are no partial results.
    package static func bytes(
        of reader: SessionReader, path: String, options: Options = Options()
    ) throws -> (bytes: [UInt8], summary: Summary, pseudonyms: Pseudonyms) {
        let redaction = Redaction(reader: reader, path: path, options: options)
        let (sink, summary, pseudonyms) = try redaction.run(
            { MemorySink() }, open: { try SessionReader(bytes: $0.bytes) })
        return (sink.bytes, summary, pseudonyms)
    }

    /// Writes the recording with pseudonyms and checks the result.
    ///
    /// - Parameters:
    ///   - make: creates an empty output. Each attempt writes to a new one.
    ///   - open: opens the finished output, for the check.
    /// - Throws: ``ExportError`` if the recording cannot be redacted. The output must then be discarded.
    package func run<Sink: ByteSink>(
        _ make: () throws -> Sink, open: (Sink) throws -> SessionReader
    ) throws -> (sink: Sink, summary: Summary, pseudonyms: Pseudonyms) {
        let source = try source()
        // In a few recordings, machines depend on the order of names or calculate with numbers. The first attempt
        // preserves neither order nor numbers. The later ones preserve one of them, or both.
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
        try check(try open(sink), source)
        return (sink, summary, pseudonyms)
    }

    /// The event at which the machines behaved differently with pseudonyms.
    struct Difference: Error {
        var number: UInt64
        var node: String
        var reason: String
    }

    /// The source of the effects of a redacted recording.
    enum EffectSource {
        /// The machines run again and produce the effects.
        case machines
        /// The effects are copies of the recorded ones, with pseudonyms.
        case recording
    }

    /// Decides where the effects come from. A recording that does not verify is refused, because its redacted copy
    /// would not verify either.
    private func source() throws -> EffectSource {
        switch try verification(of: reader) {
        // Data that `server populate` generates depends on the names of users. With pseudonyms, the server would give
        // other answers.
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

    /// - Throws: ``Difference`` if the result does not verify, or has fewer events than the recording.
    private func check(_ result: SessionReader, _ source: EffectSource) throws {
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

    /// Writes the recording with pseudonyms.
    ///
    /// - Throws: ``Difference`` if a machine behaved differently with them, ``ExportError`` for everything else.
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
            // The output cannot be written. The caller adds the output's name to the error.
            if case .unwritable = error { throw error }
            throw ExportError(.unreadable, "\(path): \(error)")
        } catch let error as RecordError {
            throw ExportError(.unreadable, "\(path): \(error)")
        }
    }
}
