import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import Recorder

/// A recording under pseudonyms: the same events of the same kinds at the same times, with other names and texts.
///
/// What was handed to the machines is changed, and the machines are asked anew, so that everything they answered, the
/// states and the chain belong together. Where a pseudonym does not lead to what its original led to, nothing is
/// written that would not verify.
///
/// Machines of another behaviour version that did something else cannot be asked anew. Of their recordings the answers
/// are copied under pseudonyms; the copy is of their version too, and the states in it are what today's machines say.
public struct Redaction {
    /// What is left as it is.
    public struct Options: Sendable {
        /// Whether title and marks stay, but for the names in them.
        var keepsNotes = false

        /// - Parameter keepsNotes: whether title and marks stay, but for the names in them.
        public init(keepsNotes: Bool = false) {
            self.keepsNotes = keepsNotes
        }
    }

    /// What was done.
    public struct Summary: Sendable {
        /// How many events it has, as many as the original.
        public var events: UInt64 = 0
        /// Whether the machines of this version said its effects anew; else they are copies of what others did.
        public var isVerified = true
        /// Whether numbers, names of attributes and keys stay because the machines calculate with them.
        var keepsCalculated = false

        /// What stays, for the reader of the command's output.
        public var stays: String {
            "stays: kinds, times and states of events, statuses, flags and counts, words and names of the vendor's API, "
                + (keepsCalculated
                    ? "all numbers and push ids of the tree and names of attributes (the recording calculates with them)"
                    : "in the tree numbers below 1000000, times and push ids near the recording")
        }
        var users = 0
        var devices = 0
        /// Channels, keys, labels and what else has a name.
        var otherNames = 0
        var texts = 0
        var notes = 0
        /// Originals whose bytes are still in the result, because the format or a vendor has the same word.
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
    /// The file, as the user named it.
    let path: String
    let options: Options

    package init(reader: SessionReader, path: String, options: Options) {
        self.reader = reader
        self.path = path
        self.options = options
    }

    /// A session file under pseudonyms, in memory, proved: it has the same events at the same times, and verifies
    /// where the machines of this version do what the recording says.
    ///
    /// - Parameters:
    ///   - reader: the recording; of an older format too, which becomes the present one.
    ///   - path: what it is called in errors.
    /// - Throws: ``ExportError`` that says why it cannot be done.
    public static func redacted(
        _ reader: SessionReader, path: String, options: Options = Options()
    ) throws -> (bytes: [UInt8], summary: Summary) {
        let (bytes, summary, _) = try bytes(of: reader, path: path, options: options)
        return (bytes, summary)
    }

    /// The whole of it in memory, proved.
    ///
    /// - Returns: the session's bytes, what was done, and the pseudonyms, for what is said beside the session.
    /// - Throws: ``ExportError`` that says why it cannot be done; nothing is half done.
    package static func bytes(
        of reader: SessionReader, path: String, options: Options = Options()
    ) throws -> (bytes: [UInt8], summary: Summary, pseudonyms: Pseudonyms) {
        let redaction = Redaction(reader: reader, path: path, options: options)
        let (sink, summary, pseudonyms) = try redaction.run(
            { MemorySink() }, open: { try SessionReader(bytes: $0.bytes) })
        return (sink.bytes, summary, pseudonyms)
    }

    /// Writes the recording under pseudonyms and proves the result.
    ///
    /// - Parameters:
    ///   - make: begins the result, from its first byte on; it may be called again.
    ///   - open: reads what was written.
    /// - Throws: ``ExportError`` that says why it cannot be done; what has been written is to be thrown away then.
    package func run<Sink: ByteSink>(
        _ make: () throws -> Sink, open: (Sink) throws -> SessionReader
    ) throws -> (sink: Sink, summary: Summary, pseudonyms: Pseudonyms) {
        let source = try source()
        // A rare recording shows how names are sorted, or calculates with its numbers.
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

    /// Where the machines did something else with the pseudonyms.
    struct Difference: Error {
        var number: UInt64
        var node: String
        var reason: String
    }

    /// Where the effects of a redacted recording come from.
    enum EffectSource {
        /// The machines say them anew.
        case machines
        /// They are those of the original under pseudonyms.
        case recording
    }

    /// A recording that does not verify as it is would not verify afterwards.
    private func source() throws -> EffectSource {
        switch try verification(of: reader) {
        // Made-up data depends on the names of users: with others the server would say something else.
        case .verified: return try hasPopulation() ? .recording : .machines
        case .diverged(let divergence):
            guard BehaviourDifference(reader, divergence: divergence) == nil else { return .recording }
            throw ExportError(
                .diverged,
                "\(path): diverged at event \(divergence.number), so it cannot be redacted; "
                    + "'imrepl verify' shows how")
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

    /// - Throws: ``Difference`` where the result does not verify, or has lost something.
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
    /// - Throws: ``Difference`` where a machine did something else with them, ``ExportError`` for all else.
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
            pseudonyms.settle()
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
            // That is about the output, whose name the caller knows.
            if case .unwritable = error { throw error }
            throw ExportError(.unreadable, "\(path): \(error)")
        } catch let error as RecordError {
            throw ExportError(.unreadable, "\(path): \(error)")
        }
    }
}
