import SansIO

/// A property of a policy that a user can set: `client policy KEY=VALUE` or `server policy KEY=VALUE`. The help,
/// completion, the list of values, the check of a policy from a file and the command itself use this declaration.
public struct PolicySetting<Policy: Sendable>: Sendable {
    /// The name that a user types.
    public let key: String
    /// A description of the valid values.
    public let takes: String
    /// A description of the effect of the setting.
    public let meaning: String
    /// The meaning of each choice; empty if the values are not choices.
    public let choices: [(name: String, meaning: String)]
    /// The minimum and the maximum of a duration, in milliseconds; nil if the values are not durations.
    public let milliseconds: ClosedRange<Int64>?
    /// The value of the setting in a policy, as a text that ``set(_:in:)`` accepts.
    public let text: @Sendable (Policy) -> String
    /// True if the value of the setting in a policy is in the allowed range.
    package let allows: @Sendable (Policy) -> Bool
    private let change: @Sendable (Policy, String) -> Policy?

    /// - Parameters:
    ///   - parse: returns nil if the text is not a value.
    ///   - allows: returns false if the value is out of range.
    package init<Value: Sendable>(
        _ key: String, _ property: any WritableKeyPath<Policy, Value> & Sendable, _ meaning: String, takes: String,
        choices: [(name: String, meaning: String)] = [], milliseconds: ClosedRange<Int64>? = nil,
        text: @escaping @Sendable (Value) -> String, parse: @escaping @Sendable (String) -> Value?,
        allows: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        self.key = key
        self.takes = takes
        self.meaning = meaning
        self.choices = choices
        self.milliseconds = milliseconds
        self.text = { text($0[keyPath: property]) }
        self.allows = { allows($0[keyPath: property]) }
        change = { policy, value in
            guard let value = parse(value), allows(value) else { return nil }
            var policy = policy
            policy[keyPath: property] = value
            return policy
        }
    }

    /// Returns the policy with a new value of this setting; nil if the value is invalid.
    public func set(_ value: String, in policy: Policy) -> Policy? { change(policy, value) }

    package static func flag(
        _ key: String, _ property: any WritableKeyPath<Policy, Bool> & Sendable, _ meaning: String
    ) -> Self {
        Self(key, property, meaning, takes: "true|false", text: { String($0) }, parse: { Bool($0) })
    }

    package static func number<Number: FixedWidthInteger & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Policy, Number> & Sendable, from least: Number = 1,
        to most: Number = Number(PolicyLimit.countMax), _ meaning: String
    ) -> Self {
        Self(
            key, property, meaning, takes: "a number from \(least) to \(most)", text: { String($0) },
            parse: { Number($0) }, allows: { (least...most).contains($0) })
    }

    package static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Policy, Choice> & Sendable, _ meaning: String,
        _ choices: [(name: String, meaning: String)]
    ) -> Self where Choice.RawValue == String {
        Self(
            key, property, meaning, takes: Choice.allCases.map(\.rawValue).joined(separator: "|"), choices: choices,
            text: { $0.rawValue }, parse: { Choice(rawValue: $0) })
    }

    /// A setting whose values are durations. A user types a number of milliseconds.
    package static func duration(
        _ key: String, _ property: any WritableKeyPath<Policy, Interval> & Sendable, from least: Int64,
        _ meaning: String, takes: String
    ) -> Self {
        Self(
            key, property, meaning, takes: takes, milliseconds: least...PolicyLimit.durationMax.inMilliseconds,
            text: { String($0.inMilliseconds) }, parse: { Int64($0).map(Interval.milliseconds) },
            allows: { (Interval.milliseconds(least)...PolicyLimit.durationMax).contains($0) })
    }
}

/// A policy with properties that a user can set.
public protocol SettablePolicy: Sendable {
    /// All settings, in the order of the help.
    static var settings: [PolicySetting<Self>] { get }
}

extension SettablePolicy {
    /// The setting with this key; nil if there is none.
    public static func setting(named key: String) -> PolicySetting<Self>? { settings.first { $0.key == key } }

    /// The settings in which this policy differs from another one, as texts `key=value`.
    public func differences(from usual: Self) -> [String] {
        Self.settings.compactMap { setting in
            let value = setting.text(self)
            return value == setting.text(usual) ? nil : "\(setting.key)=\(value)"
        }
    }
}
