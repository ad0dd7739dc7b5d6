import SansIO

/// The parts of the verifier that run rarely: for a keyframe, or for the first difference.
extension Verifier {
    func name(of node: NodeIndex) -> String {
        nodeName(node, in: nodeNames)
    }

    /// The difference between a recorded effect and the next effect of the replay.
    @usableFromInline
    func difference(from view: EventView) -> Divergence {
        let expected = Event(view)
        guard matched < effects.count else {
            return divergence(.missingEffect, number: view.number, expected: expected, actual: nil)
        }
        return divergence(.otherEffect, number: view.number, expected: expected, actual: effect(number: view.number))
    }

    /// The first effect of the replay that is not in the recording; nil if there is none.
    ///
    /// - Parameter number: the number of the recorded event at which the effect is missing.
    @usableFromInline
    func unmatched(before number: UInt64) -> Divergence? {
        guard matched < effects.count else { return nil }
        return divergence(.extraEffect, number: number, expected: nil, actual: effect(number: number))
    }

    private func effect(number: UInt64) -> Event {
        var draft = EventDraft()
        schema.encode(effects[matched], into: &draft)
        return Event(
            number: number, time: inputTime, node: inputNode, channel: draft.channel, direction: draft.direction,
            role: .effect, stream: draft.stream, payload: draft.payload)
    }

    /// Compares the state of a machine with a recorded keyframe.
    @usableFromInline
    func compareState(_ view: EventView) throws(SessionError) -> Divergence? {
        guard let machine = replay[view.node] else { throw .notStarted(event: view.number, node: name(of: view.node)) }
        let state: [UInt8]
        do {
            state = try schema.encodeState(machine)
        } catch {
            throw .undecodable(event: view.number, node: name(of: view.node), reason: "\(error)")
        }
        if equalBytes(state, view.payload) { return nil }
        let expected = Event(view)
        var actual = expected
        actual.payload = state
        actual.comment = ""
        return divergence(.otherState, number: view.number, expected: expected, actual: actual)
    }

    private func divergence(
        _ kind: Divergence.Kind, number: UInt64, expected: Event?, actual: Event?
    ) -> Divergence {
        let node = expected?.node ?? actual?.node ?? inputNode
        let text = { (event: Event?) in
            event.map { schema.describe($0, node: name(of: $0.node)) } ?? "no effect"
        }
        return Divergence(
            kind: kind, number: number, time: expected?.time ?? inputTime, node: node, nodeName: name(of: node),
            inputNumber: kind == .otherState || inputNumber == 0 ? nil : inputNumber, expected: text(expected),
            actual: text(actual), expectedEvent: expected, actualEvent: actual)
    }
}

extension SessionReader {
    /// Checks that the session contains the machines of a schema.
    ///
    /// - Throws: ``SessionError/otherFormat(found:expected:)`` or ``SessionError/otherBehaviour(found:expected:)``.
    public func requireFormat(of schema: some SessionSchema, sameBehaviour: Bool = true) throws(SessionError) {
        guard header.formatName == schema.formatName else {
            throw .otherFormat(found: header.formatName, expected: schema.formatName)
        }
        guard !sameBehaviour || header.behaviourVersion == schema.behaviourVersion else {
            throw .otherBehaviour(found: header.behaviourVersion, expected: schema.behaviourVersion)
        }
    }
}
