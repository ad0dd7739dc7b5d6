public import SansIO

/// How the values of one kind of machine become bytes and come back.
///
/// Encoding must be canonical: equal values give equal bytes, in any process, because a replay is compared by bytes.
/// Decoding must be total: a file may say anything, so it throws and never traps.
public protocol SessionSchema: Sendable {
    /// The machines of a session; where there are several kinds, a type that is any of them.
    associatedtype Subject: Machine

    /// The name that each packet carries as its dissector, such as `imsession`; at most 64 bytes of ASCII.
    var formatName: String { get }
    /// Raised when the machines begin to answer the same inputs differently.
    var behaviourVersion: UInt32 { get }

    /// Puts what an input says into a draft, which is cleared before.
    func encode(_ input: Subject.Input, into draft: inout EventDraft)
    /// Puts what an effect says into a draft, which is cleared before.
    func encode(_ effect: Subject.Effect, into draft: inout EventDraft)
    /// Reads what was encoded. Whatever it throws is told as ``SessionError/undecodable(event:node:reason:)``.
    func decodeInput(_ event: EventView) throws -> Subject.Input
    /// Makes a machine from the payload of its start event.
    func makeSubject(from start: EventView) throws -> Subject
    /// The whole state of a machine; nothing that `handle` can read may be left out.
    func encodeState(_ subject: Subject) throws -> [UInt8]
    /// Reads what ``encodeState(_:)`` wrote; throws for any state that no machine can have come to.
    func decodeState(_ bytes: [UInt8]) throws -> Subject
    /// What an event says, in one line, for messages about divergence. The default shows the bytes.
    func describe(_ event: Event, node: String) -> String
    /// Does what an event says. Nobody has to write it: it is asked for here so that the compiler makes one for each
    /// schema, which is faster than one for all.
    ///
    /// - Parameter effects: emptied first; then takes what the machine asks for.
    /// - Throws: as ``Replay/apply(_:schema:effects:nodeNames:)``.
    func apply(
        _ view: EventView, to replay: inout Replay<Self>, effects: inout [Subject.Effect], nodeNames: [String]
    ) throws(SessionError)
}

extension SessionSchema {
    /// Has the replay do what the event says; see ``Replay/apply(_:schema:effects:nodeNames:)``.
    @inlinable
    public func apply(
        _ view: EventView, to replay: inout Replay<Self>, effects: inout [Subject.Effect], nodeNames: [String]
    ) throws(SessionError) {
        effects.removeAll(keepingCapacity: true)
        try replay.apply(view, schema: self, effects: &effects, nodeNames: nodeNames)
    }

    /// Role, place and length of the event, and its first 48 bytes in hexadecimal digits.
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
