import SansIO

/// The machines of a session in their state after some event.
///
/// It is a value: a copy is a checkpoint.
public struct Replay<Schema: SessionSchema>: Sendable {
    /// The machines by node index; nil if a node is not running.
    public var machines: [Schema.Subject?] = []

    /// The maximum number of effects of one input. A server that shuts down a million connections has twice as many.
    public static var effectsPerInputMax: Int { 2_000_000 }

    /// The state before the first event, without machines.
    public init() {}

    /// The machine of a node; nil while it is not running.
    public subscript(node: NodeIndex) -> Schema.Subject? {
        let position = Int(node.rawValue)
        return position < machines.count ? machines[position] : nil
    }

    /// The nodes that are running, in order.
    public var running: [NodeIndex] {
        machines.indices.filter { machines[$0] != nil }.map { NodeIndex(rawValue: UInt16(clamping: $0)) }
    }

    /// Applies an event: makes a machine, passes it an input, or ends it. Other events change nothing.
    ///
    /// - Parameters:
    ///   - effects: the machine's effects of an input are appended.
    ///   - nodeNames: by node index, for errors.
    /// - Throws: ``SessionError/undecodable(event:node:reason:)`` or ``SessionError/notStarted(event:node:)``.
    @inlinable
    public mutating func apply(
        _ view: EventView, schema: Schema, effects: inout [Schema.Subject.Effect], nodeNames: [String]
    ) throws(SessionError) {
        let position = Int(view.node.rawValue)
        switch view.role {
        case .input:
            let input: Schema.Subject.Input
            do {
                input = try schema.decodeInput(view)
            } catch {
                throw .undecodable(event: view.number, node: nodeName(view.node, in: nodeNames), reason: "\(error)")
            }
            let before = effects.count
            // A separate check that there is a machine would copy it.
            guard position < machines.count, machines[position]?.handle(input, at: view.time, into: &effects) != nil
            else {
                throw .notStarted(event: view.number, node: nodeName(view.node, in: nodeNames))
            }
            guard effects.count - before <= Self.effectsPerInputMax else {
                throw .tooManyEffects(
                    event: view.number, node: nodeName(view.node, in: nodeNames), limit: Self.effectsPerInputMax)
            }
        case .start:
            do {
                let subject = try schema.makeSubject(from: view)
                while machines.count <= position { machines.append(nil) }
                machines[position] = subject
            } catch {
                throw .undecodable(event: view.number, node: nodeName(view.node, in: nodeNames), reason: "\(error)")
            }
        case .stop:
            guard position < machines.count, machines[position] != nil else {
                throw .notStarted(event: view.number, node: nodeName(view.node, in: nodeNames))
            }
            machines[position] = nil
        case .header, .clock, .effect, .environment, .mark, .keyframe, .closing: break
        }
    }
}

/// The name of a node, or its number if the session does not name it.
@usableFromInline
func nodeName(_ node: NodeIndex, in names: [String]) -> String {
    let position = Int(node.rawValue)
    return position < names.count && !names[position].isEmpty ? names[position] : "node \(node.rawValue)"
}
