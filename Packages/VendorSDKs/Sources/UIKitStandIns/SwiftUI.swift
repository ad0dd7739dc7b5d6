import Foundation

// The parts of SwiftUI that a model uses. There are no views here.

public struct Animation: Hashable, Sendable {
    public static let `default` = Animation()
    public static let easeInOut = Animation()
    public static let easeIn = Animation()
    public static let easeOut = Animation()
    public static let linear = Animation()
    public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
    public static func spring() -> Animation { Animation() }
}

/// Runs the body, without an animation.
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
    try body()
}

public enum ScenePhase: Hashable, Sendable {
    case background
    case inactive
    case active
}
