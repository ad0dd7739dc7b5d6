/// The first difference between two sessions.
public struct SessionDiff: Hashable, Sendable {
    /// The options of a comparison.
    public struct Options: Sendable {
        /// True to compare the times too.
        public var comparesTimes = false
        /// The roles of events that are skipped. By default these are events that differ between any two sessions, and
        /// events that only repeat what earlier events determine.
        public var ignoredRoles: [EventRole] = [.header, .clock, .keyframe, .closing]
        /// The number of events shown before and after the difference.
        public var context = 3

        /// Options that ignore times and show three events before and after the difference.
        public init() {}
    }

    /// The first differing event of the left session; nil if the left session has no more events.
    public var left: Event?
    /// The first differing event of the right session; nil if the right session has no more events.
    public var right: Event?
    /// The last equal events before the difference, from the left session.
    public var before: [Event]
    /// The events after the difference in the left session.
    public var leftAfter: [Event]
    /// The events after the difference in the right session.
    public var rightAfter: [Event]
    /// The number of equal events before the first difference.
    public var equalEvents: UInt64

    /// True if the sessions do not differ.
    public var isEmpty: Bool { left == nil && right == nil }

    /// Compares two sessions event by event: role, node name, channel, direction, stream and payload.
    ///
    /// - Throws: ``SessionError`` if one of them is damaged before the first difference.
    public static func compare(
        _ left: SessionReader, _ right: SessionReader, options: Options = Options()
    ) throws(SessionError) -> SessionDiff {
        let context = max(options.context, 0)
        let leftScanner = left.makeScanner()
        let rightScanner = right.makeScanner()
        var diff = SessionDiff(
            left: nil, right: nil, before: [], leftAfter: [], rightAfter: [], equalEvents: 0)
        while true {
            let leftView = try next(leftScanner, options)
            let rightView = try next(rightScanner, options)
            if let leftView, let rightView,
                areEqual(leftView, rightView, left.name(of: leftView.node), right.name(of: rightView.node), options)
            {
                diff.equalEvents += 1
                if context > 0 {
                    if diff.before.count == context { diff.before.removeFirst() }
                    diff.before.append(Event(leftView))
                }
                continue
            }
            diff.left = leftView.map { Event($0) }
            diff.right = rightView.map { Event($0) }
            break
        }
        if diff.isEmpty { return diff }
        while diff.leftAfter.count < context, let view = try next(leftScanner, options) {
            diff.leftAfter.append(Event(view))
        }
        while diff.rightAfter.count < context, let view = try next(rightScanner, options) {
            diff.rightAfter.append(Event(view))
        }
        return diff
    }

    private static func next(_ scanner: SessionScanner, _ options: Options) throws(SessionError) -> EventView? {
        while let view = try scanner.next() {
            if !options.ignoredRoles.contains(view.role) { return view }
        }
        return nil
    }

    private static func areEqual(
        _ left: EventView, _ right: EventView, _ leftName: String, _ rightName: String, _ options: Options
    ) -> Bool {
        left.role == right.role && left.channel == right.channel && left.direction == right.direction
            && left.stream == right.stream && (!options.comparesTimes || left.time == right.time)
            && leftName == rightName && left.payload.elementsEqual(right.payload)
    }
}
