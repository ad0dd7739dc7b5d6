import SansIO

/// The machines of a session, in their states after an event.
///
/// A replay is a value, so a copy of it is a checkpoint to which the caller can return.
public struct Replay<Schema: SessionSchema>: Sendable {
    /// The machine of each node, by node index; nil if the node is not running.
    public var machines: [Schema.Subject?] = []

    /// The maximum number of effects of one input. A server that shuts down with a million connections has two million.
    public static var effectsPerInputMax: Int { 2_000_000 }

    /// Creates the state before the first event, without machines.
    public init() {}

    /// The machine of a node; nil while it is not running.
    public subscript(node: NodeIndex) -> Schema.Subject? {
        let position = Int(node.rawValue)
        return position < machines.count ? machines[position] : nil
    }

    /// The nodes that are running, in the order of their indices.
    public var running: [NodeIndex] {
        machines.indices.filter { machines[$0] != nil }.map { NodeIndex(rawValue: UInt16(clamping: $0)) }
    }

    /// Applies an event. A start creates a machine, an input is passed to its machine, and a stop removes the machine.
    /// Other events change nothing.
    ///
    /// - Parameters:
    ///   - effects: the effects of an input are appended to this array.
    ///   - nodeNames: the names of the nodes by node index, for errors.
    /// - Throws: ``SessionError/undecodable(event:node:reason:)``, ``SessionError/notStarted(event:node:)`` or
    ///   ``SessionError/tooManyEffects(event:node:limit:)``.
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
            // The call and the check for nil are one expression, because a separate check would copy the machine.
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

/// The name of a node; `node` and its number if the session has no name for it.
@usableFromInline
func nodeName(_ node: NodeIndex, in names: [String]) -> String {
    let position = Int(node.rawValue)
    return position < names.count && !names[position].isEmpty ? names[position] : "node \(node.rawValue)"
}
