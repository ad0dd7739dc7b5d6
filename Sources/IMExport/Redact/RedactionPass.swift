import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import Recorder

/// One pass over a recording: it either collects the originals or writes the result with the pseudonyms.
struct RedactionPass {
    private let reader: SessionReader
    private let pseudonyms: Pseudonyms
    private let options: Redaction.Options
    private let source: Redaction.EffectSource
    private let schema = IMSessionSchema()
    /// The pending commands that query local data. Their results contain names.
    private var calls: Set<Call> = []

    private struct Call: Hashable {
        var node: NodeIndex
        var id: CommandID
    }

    init(
        _ reader: SessionReader, _ pseudonyms: Pseudonyms, _ options: Redaction.Options,
        _ source: Redaction.EffectSource
    ) {
        self.source = source
        self.reader = reader
        self.pseudonyms = pseudonyms
        self.options = options
    }

    // MARK: Collecting

    mutating func collect() throws {
        _ = header
        _ = nodes
        let scanner = reader.makeScanner()
        while let view = try scanner.next() { _ = try redacted(view) }
    }

    /// The event with pseudonyms. Effects that the machines produce again are not replaced, because they are compared
    /// with the new ones.
    private mutating func redacted(_ view: EventView) throws -> SessionEvent.Content {
        let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
        switch event.content {
        case .header, .clock, .stop, .keyframe, .closing: return event.content
        case .effect where source == .machines: return event.content
        case .effect(.complete(let id, var completion)) where calls.remove(Call(node: view.node, id: id)) != nil:
            completion.rows = pseudonyms.replaced(rows: completion.rows)
            return .effect(.complete(id, completion))
        case .effect(let effect): return .effect(pseudonyms.replaced(effect))
        case .start(let start): return .start(try pseudonyms.start(start))
        case .input(let input):
            if case .clientCommand(let id, .call) = input { calls.insert(Call(node: view.node, id: id)) }
            return .input(pseudonyms.replaced(input))
        case .environment(let action): return .environment(pseudonyms.action(action))
        case .mark(let text): return .mark(note(text))
        case .unreadable(let why):
            throw SessionError.undecodable(event: event.number, node: event.node, reason: why)
        }
    }

    private func note(_ text: String) -> String {
        options.keepsNotes ? pseudonyms.rewritten(text) : pseudonyms.text(text, .note)
    }

    /// Titles that this program chooses. They contain nothing personal.
    private static let ownTitles: Set = ["", "typed at the prompt", "served to other shells"]

    private var header: SessionHeader {
        var header = reader.header
        if !Self.ownTitles.contains(header.title) { header.title = note(header.title) }
        for index in header.parameters.indices where ["fork-of", "fork-change"].contains(header.parameters[index].key) {
            header.parameters[index].value = pseudonyms.text(header.parameters[index].value, .note)
        }
        return header
    }

    private var nodes: [String] { reader.nodes.map(pseudonyms.node) }

    // MARK: Writing

    /// - Returns: the number of written events.
    /// - Throws: ``Redaction/Difference`` if the machines behave differently with pseudonyms.
    mutating func write(to sink: any ByteSink, dialect: any Dialect) throws -> UInt64 {
        let writer = SessionWriter(
            sink: sink, schema: schema, header: header, epochNanoseconds: reader.header.epochNanoseconds,
            behaviourVersion: source == .recording ? copiedVersion : nil)
        for name in nodes.dropFirst() { _ = writer.addNode(name) }
        var rerun = RedactedReplay(
            writer: writer, names: nodes, formatter: EventFormatter(dialect: dialect), source: source)
        // The result has the current format, which contains the cause of each input. For a recording without causes,
        // they are computed.
        let causes = reader.header.recordsCauses ? nil : try UnrecordedCauses(DebugSession(reader))
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            try rerun.write(view, try redacted(view), cause: try cause(of: view, causes), pseudonyms)
            if let failure = writer.failure { throw failure }
        }
        // A truncated recording stays truncated, so that it does not look complete.
        try writer.flush()
        return writer.eventCount
    }

    /// The behaviour version of a result with copied effects: that of the recording. If it is the version of this
    /// program, the result has no version, because the machines of this program would not produce the copied effects.
    private var copiedVersion: UInt32 {
        let recorded = reader.header.behaviourVersion
        return recorded == schema.behaviourVersion ? BehaviourDifference.noVersion : recorded
    }

    /// The number of the event that caused an event of the recording. The result has the same events, and so the same
    /// causes.
    private func cause(of view: EventView, _ causes: UnrecordedCauses?) throws -> UInt64 {
        guard let causes, view.role == .input else { return view.cause }
        return try causes.cause(of: try schema.decodeInput(view), Event(view)) ?? 0
    }
}

/// Runs the machines again and writes their effects to the result.
private struct RedactedReplay {
    let writer: SessionWriter<IMSessionSchema>
    let names: [String]
    let formatter: EventFormatter
    let source: Redaction.EffectSource
    private var replay = Replay<IMSessionSchema>()
    /// The effects of the last input. The first ``writtenCount`` of them have been written.
    private var effects: [NodeEffect] = []
    private var writtenCount = 0
    private var node = NodeIndex.session

    init(
        writer: SessionWriter<IMSessionSchema>, names: [String], formatter: EventFormatter,
        source: Redaction.EffectSource
    ) {
        self.source = source
        self.writer = writer
        self.names = names
        self.formatter = formatter
    }

    mutating func write(
        _ view: EventView, _ content: SessionEvent.Content, cause: UInt64, _ pseudonyms: Pseudonyms
    ) throws {
        if source == .machines, view.role != .effect, writtenCount < effects.count {
            throw difference(view, "comes where another effect is due")
        }
        switch content {
        case .header, .clock: break
        case .start(let start):
            let payload = try start.payload()
            try writer.start(view.node, payload: payload, at: view.time, comment: comment(view, content))
            set(start.makeMachine(), view.node)
        case .stop:
            writer.stop(view.node, at: view.time, comment: comment(view, content))
            set(nil, view.node)
        case .input(let input):
            writer.input(input, node: view.node, at: view.time, cause: cause, comment: comment(view, content))
            take(input, view)
        case .effect(let original): try write(original, view, pseudonyms)
        case .environment(let action):
            writer.environment(
                IMSessionSchema.environment(action), node: view.node, channel: view.channel,
                direction: view.direction, stream: view.stream, at: view.time, comment: comment(view, content))
        case .mark(let text): writer.mark(text, at: view.time)
        case .keyframe:
            guard let machine = replay[view.node],
                try writer.keyframe(view.node, subject: machine, at: view.time, comment: view.comment) != nil
            else { throw difference(view, "has no state to keep") }
        case .closing: try writer.close(at: view.time)
        case .unreadable(let why): throw difference(view, why)
        }
    }

    private mutating func set(_ machine: NodeMachine?, _ node: NodeIndex) {
        let index = Int(node.rawValue)
        while replay.machines.count <= index { replay.machines.append(nil) }
        replay.machines[index] = machine
    }

    private mutating func take(_ input: NodeInput, _ view: EventView) {
        effects.removeAll(keepingCapacity: true)
        writtenCount = 0
        node = view.node
        let index = Int(view.node.rawValue)
        guard index < replay.machines.count else { return }
        replay.machines[index]?.handle(input, at: view.time, into: &effects)
    }

    /// Writes the next effect of the machine. The effect must have the same kind as the recorded one. A frame must
    /// equal the recorded frame with pseudonyms, because the other side receives that frame.
    private mutating func write(_ original: NodeEffect, _ view: EventView, _ pseudonyms: Pseudonyms) throws {
        guard source == .machines else {
            let line = comment(view, .effect(original))
            writer.effect(original, node: view.node, at: view.time, comment: line)
            return
        }
        guard writtenCount < effects.count, node == view.node else { throw difference(view, "does not come") }
        let effect = effects[writtenCount]
        let content = SessionEvent.Content.effect(effect)
        let event = self.event(view, content)
        guard event.kind == self.event(view, .effect(original)).kind, event.connection == view.stream else {
            throw difference(view, "is \(event.kind)")
        }
        guard isSame(effect, as: original, pseudonyms) else { throw difference(view, "is another one") }
        writtenCount += 1
        writer.effect(effect, node: view.node, at: view.time, comment: comment(view, content))
    }

    /// True if a machine had the same effect as before. Texts that a machine composes from names are not compared.
    private func isSame(_ effect: NodeEffect, as original: NodeEffect, _ pseudonyms: Pseudonyms) -> Bool {
        switch (original, effect) {
        case (.send(_, let frame), .send(_, let next)):
            isSame(next, as: frame, pseudonyms)
        case (.presence, .presence): pseudonyms.replaced(original) == effect
        case (.persist(let data), .persist(let next)):
            pseudonyms.name(data.lastUser ?? "", .user) == next.lastUser ?? "" && data.lastEpoch == next.lastEpoch
        case (.transition(let change), .transition(let next)): change == next
        case (.data, .data): pseudonyms.replaced(original).withoutSizes == effect.withoutSizes
        case (.complete(let id, let completion), .complete(let nextID, let next)):
            id == nextID && completion.status == next.status && completion.rows.count == next.rows.count
        case (.connect, .connect), (.closeLink, .closeLink), (.keep, .keep), (.notify, .notify): true
        default: false
        }
    }

    private func isSame(_ frame: Frame, as original: Frame, _ pseudonyms: Pseudonyms) -> Bool {
        if case .tree(let old) = original.body, case .tree(let new) = frame.body, let hash = old.hash,
            let other = new.hash
        {
            pseudonyms.storeHash(hash, is: other)
        }
        return pseudonyms.replaced(original) == frame
    }

    private func event(_ view: EventView, _ content: SessionEvent.Content) -> SessionEvent {
        SessionEvent(number: view.number, time: view.time, node: name(view.node), content: content)
    }

    /// The text line of the event with pseudonyms; empty if the recording has none.
    private func comment(_ view: EventView, _ content: SessionEvent.Content) -> String {
        let event = event(view, content)
        if view.commentBytes.isEmpty {
            formatter.note(event)
            return ""
        }
        return "\(event.node) \(formatter.format(event).text)"
    }

    private func name(_ node: NodeIndex) -> String {
        Int(node.rawValue) < names.count ? names[Int(node.rawValue)] : "node \(node.rawValue)"
    }

    private func difference(_ view: EventView, _ reason: String) -> Redaction.Difference {
        Redaction.Difference(number: view.number, node: name(view.node), reason: reason)
    }
}

extension NodeEffect {
    /// The effect without the sizes of stored values. Pseudonyms can have other sizes.
    fileprivate var withoutSizes: NodeEffect {
        guard case .data(var request) = self, case .tree(.change(let changes)) = request.action else { return self }
        request.action = .tree(
            .change(
                changes.map { change in
                    guard case .track(var query) = change else { return change }
                    query.bytes = 0
                    return .track(query)
                }))
        return .data(request)
    }
}
