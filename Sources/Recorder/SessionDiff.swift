/// The first difference between two sessions.
public struct SessionDiff: Hashable, Sendable {
    /// The options of a comparison.
    public struct Options: Sendable {
        /// True to compare the times too.
        public var comparesTimes = false
        /// Events of these roles are skipped: they differ between any two sessions, or follow from the others.
        public var ignoredRoles: [EventRole] = [.header, .clock, .keyframe, .closing]
        /// The number of events shown before and after the difference.
        public var context = 3

        /// Ignores times, and shows three events on each side of the difference.
        public init() {}
    }

    /// The left event of the first differing pair; nil if the left session has ended.
    public var left: Event?
    /// The right event of the pair; nil if the right session has ended.
    public var right: Event?
    /// The last equal events before it, from the left session.
    public var before: [Event]
    /// The events after it in the left session.
    public var leftAfter: [Event]
    /// The events after it in the right session.
    public var rightAfter: [Event]
    /// The number of equal events before the first difference.
    public var equalEvents: UInt64

    /// True if nothing differs.
    public var isEmpty: Bool { left == nil && right == nil }

    /// Compares two sessions by role, node name, channel, direction, stream and payload.
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
                same(leftView, rightView, left.name(of: leftView.node), right.name(of: rightView.node), options)
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

    private static func same(
        _ left: EventView, _ right: EventView, _ leftName: String, _ rightName: String, _ options: Options
    ) -> Bool {
        left.role == right.role && left.channel == right.channel && left.direction == right.direction
            && left.stream == right.stream && (!options.comparesTimes || left.time == right.time)
            && leftName == rightName && left.payload.elementsEqual(right.payload)
    }
}
