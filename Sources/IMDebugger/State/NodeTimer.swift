import IMClient
import IMServer
import IMSession
import SansIO

/// A timer of a client or of a server.
package enum NodeTimer: Hashable, Sendable {
    case client(ClientTimer)
    case server(ServerTimer)

    /// The timer's name and its values: `heartbeat-answer`, `request(3)`, `presence(phone, alice)`.
    package var text: String {
        switch self {
        case .client(.request(let number)): "request(\(number))"
        case .client(.message(let number)): "message(\(number))"
        case .client(.treeAnswer(let number)): "tree-answer(\(number))"
        case .client(let timer): timer.name
        case .server(.silence(let connection)): "silence(\(connection.rawValue))"
        case .server(.overdue(let connection)): "overdue(\(connection.rawValue))"
        case .server(.presence(let user, let device)): Self.text("presence", device, user)
        case .server(.token(let user, let device)): Self.text("token", device, user)
        case .server(.push(let user, let device)): Self.text("push", device, user)
        }
    }

    private static func text(_ name: String, _ device: String, _ user: String) -> String {
        "\(name)(\(StateTree.text(device).line), \(StateTree.text(user).line))"
    }
}

extension NodeMachine {
    /// The timers that are set, in the order in which they fire.
    var setTimers: [(name: NodeTimer, at: Instant)] {
        if let client { return client.setTimers.map { (.client($0.name), $0.at) } }
        if let server { return server.setTimers.map { (.server($0.name), $0.at) } }
        return []
    }

    /// The timer that is due next; nil if no timer is set. A timer that only sends a heartbeat is returned only if no
    /// other timer is due at the same instant.
    var nextTimer: NodeTimer? {
        let timers = setTimers
        guard let first = timers.first else { return nil }
        return timers.first { $0.at == first.at && $0.name != .client(.heartbeat) }?.name ?? first.name
    }

    /// The timers that are set, with the time until they fire, in the order in which they fire.
    package func runningTimers(at now: Instant) -> [RunningTimer] {
        setTimers.map { RunningTimer(name: $0.name, due: $0.at, remaining: $0.at - now) }
    }
}

/// A timer that is set.
package struct RunningTimer: Sendable {
    package var name: NodeTimer
    package var due: Instant
    /// The time from now until it is due.
    package var remaining: Interval

    /// The timer in one line: `heartbeat at +30.060s (in 28.950s)`
    package var text: String { "\(name.text) at +\(due.secondsText) (in \((Instant.zero + remaining).secondsText))" }
}
