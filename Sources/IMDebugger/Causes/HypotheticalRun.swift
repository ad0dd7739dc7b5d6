import IMClient
import IMProtocol
import IMSession
import IMSimulation
import Recorder
import SansIO

/// Runs copies of the machines from a position, with an input that did not arrive, to find out whether a condition
/// would hold after it. The run is not recorded.
struct HypotheticalRun {
    /// The maximum number of frames that are delivered because of one frame. A login with its sync needs fewer.
    private static let inputsMax = 40
    /// The maximum number of times that a node's timers fire.
    private static let firingsMax = 6

    private let session: DebugSession
    private let condition: ReplayCondition
    /// The node for which the condition must hold; nil for all.
    private let targetNode: NodeIndex?
    private let graph: CausalGraph
    private let replay: Replay<IMSessionSchema>
    /// The machines that have received an input in this run.
    private var changed: [NodeIndex: NodeMachine] = [:]
    private var pending: [(end: CausalGraph.End, frame: Frame)] = []
    /// The newest change of a client's state in this run.
    private(set) var change: ClientChange?

    /// A change of a client's state.
    struct ClientChange {
        var change: StateChange
        /// The policy of the client, as recorded. It can differ from the policy of the profile.
        var policy: ClientPolicy
    }

    /// - Parameters:
    ///   - targetNode: the node for which the condition must hold; nil for all.
    ///   - replay: the states of the machines with which the run begins.
    init(
        _ session: DebugSession, _ condition: ReplayCondition, of targetNode: NodeIndex?,
        _ replay: Replay<IMSessionSchema>
    ) throws {
        self.session = session
        self.condition = condition
        self.targetNode = targetNode
        self.replay = replay
        graph = try session.causalGraph()
    }

    /// Delivers a frame, and then all frames that the machines send because of it. Returns true if the condition holds
    /// after one of them.
    mutating func holds(afterArrivalOf frame: Frame, at end: CausalGraph.End, _ now: Instant) throws -> Bool {
        pending = [(end, frame)]
        return try deliver(now)
    }

    /// Fires the timers of a node, one after the other. Returns the timer after which the condition holds; nil if there
    /// is none. Clients receive no answers to frames that they send.
    mutating func timer(of node: NodeIndex) throws -> (name: NodeTimer, due: Instant)? {
        for _ in 0..<Self.firingsMax {
            guard let machine = changed[node] ?? replay[node], let due = machine.nextDeadline,
                let name = machine.nextTimer
            else { return nil }
            if try take(.deadlineReached, of: node, due) { return (name, due) }
            if machine.client == nil, try deliver(due) { return (name, due) }
            pending = []
        }
        return nil
    }

    private mutating func deliver(_ now: Instant) throws -> Bool {
        for _ in 0..<Self.inputsMax {
            guard !pending.isEmpty else { return false }
            let (end, frame) = pending.removeFirst()
            let input = NodeInput.frame(ConnectionID(end.connection), accepted(frame, at: end))
            if try take(input, of: end.node, now) { return true }
        }
        return false
    }

    /// The frame as the server receives it: a verdict replaces the credential in the frame that the client sent.
    private func accepted(_ frame: Frame, at end: CausalGraph.End) -> Frame {
        guard graph.servers.contains(end.node), frame.body.credential != nil else { return frame }
        let verdict = CredentialVerdict(.valid, user: frame.body.credentialUser)
        return frame.replacingCredential(with: .verdict(verdict))
    }

    private mutating func take(_ input: NodeInput, of node: NodeIndex, _ now: Instant) throws -> Bool {
        guard var machine = changed[node] ?? replay[node] else { return false }
        let state = machine.client?.state
        let name = session.reader.name(of: node)
        func holds(_ content: SessionEvent.Content) throws -> Bool {
            guard targetNode == nil || targetNode == node else { return false }
            let event = SessionEvent(number: session.count + 1, time: now, node: name, content: content)
            return try condition.holds(forHypothetical: event, inState: state, in: session)
        }
        if try holds(.input(input)) { return true }
        var effects: [NodeEffect] = []
        machine.handle(input, at: now, into: &effects)
        changed[node] = machine
        for effect in effects {
            if case .transition(let found) = effect, let policy = machine.client?.policy {
                change = ClientChange(change: found, policy: policy)
            }
            if try holds(.effect(effect)) { return true }
            guard case .send(let id, let frame) = effect,
                let peer = graph.peer(of: .init(node: node, connection: id.rawValue))
            else { continue }
            pending.append((peer, frame))
        }
        return false
    }
}
