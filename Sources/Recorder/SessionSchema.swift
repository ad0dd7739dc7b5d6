public import SansIO

/// The encoding of the values of one kind of machine as bytes.
///
/// Encoding must be canonical: equal values give equal bytes, in any process, because a replay is compared by bytes.
/// Decoding must be total: a file may contain anything, so it throws and never traps.
public protocol SessionSchema: Sendable {
    /// The machines of a session; if there are several kinds, a type for all of them.
    associatedtype Subject: Machine

    /// The name of the dissector in each packet, such as `imsession`; at most 64 bytes of ASCII.
    var formatName: String { get }
    /// Increased when the machines' effects of the same inputs change.
    var behaviourVersion: UInt32 { get }

    /// Encodes an input into a draft, which was cleared before.
    func encode(_ input: Subject.Input, into draft: inout EventDraft)
    /// Encodes an effect into a draft, which was cleared before.
    func encode(_ effect: Subject.Effect, into draft: inout EventDraft)
    /// Decodes an input. Its errors become ``SessionError/undecodable(event:node:reason:)``.
    func decodeInput(_ event: EventView) throws -> Subject.Input
    /// Makes a machine from the payload of its start event.
    func makeSubject(from start: EventView) throws -> Subject
    /// The whole state of a machine; nothing that `handle` can read may be omitted.
    func encodeState(_ subject: Subject) throws -> [UInt8]
    /// Reads the bytes of ``encodeState(_:)``; throws for an impossible state.
    func decodeState(_ bytes: [UInt8]) throws -> Subject
    /// An event as one line, for messages about divergence. The default shows the bytes.
    func describe(_ event: Event, node: String) -> String
    /// Applies an event. Schemas need not implement it: it is a requirement so that the compiler specializes it for
    /// each schema, which is faster than a generic one.
    ///
    /// - Parameter effects: emptied first; then the machine's effects are appended.
    /// - Throws: as ``Replay/apply(_:schema:effects:nodeNames:)``.
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

    /// Role, node, channel and length of the event, and its first 48 bytes in hexadecimal digits.
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

/// Two lowercase digits per byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits: [UInt8] = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
