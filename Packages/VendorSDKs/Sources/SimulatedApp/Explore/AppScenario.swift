import IMSession

/// What happens to an app in a test, in order: taps of its user, its process, its network, and whatever a line of the
/// script language can say of the world around it.
public struct AppScenario: Hashable, Sendable, CustomStringConvertible {
    /// One thing that happens.
    public enum Step: Hashable, Sendable {
        /// The user does something in the app, by the name that the test gave it.
        case tap(String)
        /// Milliseconds pass.
        case wait(Int)
        /// A line of the script language; one that cannot be done now is passed over.
        case line(String)
        /// The process ends without a word to it, and starts anew.
        case relaunch
        case networkDown
        case networkUp
        case networkSwitched
    }

    public var steps: [Step]
    /// In which order things happen that are due at the same moment in the world around the app; drawn by the seed that it
    /// is played with, or fixed.
    public var order: DueOrder

    /// A scenario of these steps.
    public init(_ steps: [Step], order: DueOrder = .fixed) {
        self.steps = steps
        self.order = order
    }

    /// As it stands in a test: Swift.
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
