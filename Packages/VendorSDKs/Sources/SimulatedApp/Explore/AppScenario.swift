import IMSession

/// The steps of a test of an app, in order: the user's taps, the app's process, its network, and any script line about
/// the world around it.
public struct AppScenario: Hashable, Sendable, CustomStringConvertible {
    /// A step of a scenario.
    public enum Step: Hashable, Sendable {
        /// A user's action in the app, by its name in the test.
        case tap(String)
        /// A wait, in milliseconds.
        case wait(Int)
        /// A line of the script language. A line that cannot run now is skipped.
        case line(String)
        /// The process is killed without notice, and starts again.
        case relaunch
        case networkDown
        case networkUp
        case networkSwitched
    }

    public var steps: [Step]
    /// The order of events that are due at the same time in the world around the app: drawn by the seed, or fixed.
    public var order: DueOrder

    /// A scenario of these steps.
    public init(_ steps: [Step], order: DueOrder = .fixed) {
        self.steps = steps
        self.order = order
    }

    /// The scenario as Swift code for a test.
    public var description: String {
        "AppScenario([\n" + steps.map { "    \($0.swift),\n" }.joined()
            + "]\(order == .fixed ? "" : ", order: .drawn"))"
    }
}

extension AppScenario.Step {
    fileprivate var swift: String {
        switch self {
        case .tap(let name): ".tap(\(name.debugDescription))"
        case .wait(let milliseconds): ".wait(\(milliseconds))"
        case .line(let line): ".line(\(line.debugDescription))"
        case .relaunch: ".relaunch"
        case .networkDown: ".networkDown"
        case .networkUp: ".networkUp"
        case .networkSwitched: ".networkSwitched"
        }
    }
}
