import IMClient
import IMSession

/// The steps of a login come in order, and an app receives all of them before it is notified of being online (NIM-1).
/// Before a login is retried, the app is notified of the previous result, and of each network switch (NIM-9).
struct LoginStepChecker {
    private let policy: ClientPolicy
    private var last: LoginStep?
    /// True if the network was switched and the app has not yet been notified.
    private var isSwitchDue = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: (last, isSwitchDue) = (nil, false)
        case .input(let input):
            checkState(trace.state, into: &violations)
            if isSwitchDue {
                violations.append(Violation(.logins, "NIM-9", "an app is not told that its network was switched"))
            }
            if case .network(.switched) = input { isSwitchDue = !trace.state.isOver } else { isSwitchDue = false }
        case .effect(.notify(.loginStep(let step))): handleStep(step, into: &violations)
        case .effect(.transition(let change)):
            if change.to.isOver { last = nil }
        default: break
        }
    }

    private mutating func handleStep(_ step: LoginStep, into violations: inout [Violation]) {
        let before: [LoginStep]
        switch step {
        case .networkChanged:
            if !isSwitchDue {
                violations.append(
                    Violation(.logins, "NIM-9", "an app is told of a switch of its network that was none"))
            }
            return isSwitchDue = false
        case .linking:
            if let last, ![.linkFailed, .loginFailed, .connectionLost].contains(last) {
                let detail = "the last was \(last.name)"
                violations.append(
                    Violation(.logins, "NIM-9", "a login is tried anew, and nothing was told of the one before", detail)
                )
            }
            return last = step
        case .linkOK, .linkFailed: before = [.linking]
        case .authenticating: before = [.linkOK]
        case .loginOK, .loginFailed: before = [.authenticating]
        case .syncing: before = [.loginOK]
        case .syncOK: before = [.syncing]
        case .connectionLost: before = [.loginOK, .syncing, .syncOK]
        }
        if !(last.map(before.contains) ?? false) {
            let detail = "\(step.name), after \(last?.name ?? "none")"
            violations.append(Violation(.logins, "NIM-1", "a step of a login comes out of turn", detail))
        }
        last = step
    }

    /// Checks the state after the previous inputs.
    private func checkState(_ state: ClientState, into violations: inout [Violation]) {
        let due: LoginStep
        switch state {
        case .syncing: due = .syncing
        case .online: due = policy.sync == .beforeOnline ? .syncOK : .loginOK
        default: return
        }
        guard last != due else { return }
        let detail = "\(due.name), told \(last?.name ?? "none")"
        violations.append(Violation(.logins, "NIM-1", "an app was not told of a step of its login", detail))
    }
}
