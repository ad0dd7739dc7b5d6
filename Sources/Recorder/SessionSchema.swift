public import SansIO

/// The encoding of the inputs, effects and states of one kind of machine.
///
/// Encoding must be canonical: equal values must give equal bytes in every process, because a replay is compared byte
/// by byte. Decoding must throw an error for any invalid bytes, and must never crash, because a file can contain
/// anything.
public protocol SessionSchema: Sendable {
    /// The type of the machines of a session. If a session has several kinds of machine, this type must include all of
    /// them.
    associatedtype Subject: Machine

    /// The name of the dissector in each packet, such as `imsession`; at most 64 bytes of ASCII.
    var formatName: String { get }
    /// The version of the machines' behaviour. It must be increased when a machine gives other effects for the same
    /// inputs.
    var behaviourVersion: UInt32 { get }

    /// Encodes an input into an empty draft.
    func encode(_ input: Subject.Input, into draft: inout EventDraft)
    /// Encodes an effect into an empty draft.
    func encode(_ effect: Subject.Effect, into draft: inout EventDraft)
    /// Decodes an input. The caller converts the errors to ``SessionError/undecodable(event:node:reason:)``.
    func decodeInput(_ event: EventView) throws -> Subject.Input
    /// Makes a machine from the payload of its start event.
    func makeSubject(from start: EventView) throws -> Subject
    /// Encodes the whole state of a machine: everything on which the results of `handle` can depend.
    func encodeState(_ subject: Subject) throws -> [UInt8]
    /// Decodes the bytes that ``encodeState(_:)`` returned. Throws for an impossible state.
    func decodeState(_ bytes: [UInt8]) throws -> Subject
    /// An event as one line, for messages about a difference. The default implementation shows the bytes.
    func describe(_ event: Event, node: String) -> String
    /// Applies an event to a replay. A schema need not implement this method. It is a requirement only because the
    /// compiler then specializes it for each schema, which is faster than generic code.
    ///
    /// - Parameter effects: is emptied, and then receives the machine's effects.
    /// - Throws: the errors of ``Replay/apply(_:schema:effects:nodeNames:)``.
    func apply(
        _ view: EventView, to replay: inout Replay<Self>, effects: inout [Subject.Effect], nodeNames: [String]
    ) throws(SessionError)
}

extension SessionSchema {
    /// Applies the event to the replay; see ``Replay/apply(_:schema:effects:nodeNames:)``.
    @inlinable
    public func apply(
        _ view: EventView, to replay: inout Replay<Self>, effects: inout [Subject.Effect], nodeNames: [String]
    ) throws(SessionError) {
        effects.removeAll(keepingCapacity: true)
        try replay.apply(view, schema: self, effects: &effects, nodeNames: nodeNames)
    }

    /// The role, node, channel and length of an event, and the first 48 bytes of its payload in hexadecimal digits.
    public func describe(_ event: Event, node: String) -> String {
        let shown = 48
        var text = "\(event.role.name) \(node)/\(event.channel.name)"
        switch event.direction {
        case .none: break
        case .inbound: text += " in"
        case .outbound: text += " out"
        }
        if event.stream != 0 { text += " stream \(event.stream)" }
        text += " \(event.payload.count) bytes"
        if !event.payload.isEmpty {
            text += " " + hexadecimal(event.payload.prefix(shown)) + (event.payload.count > shown ? "…" : "")
        }
        return text
    }
}

/// The bytes as text, with two lowercase hexadecimal digits for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits: [UInt8] = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
