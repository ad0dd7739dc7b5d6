/// Where two sessions part.
public struct SessionDiff: Hashable, Sendable {
    /// What counts as equal.
    public struct Options: Sendable {
        /// Compares the instants too.
        public var comparesTimes = false
        /// Events of these roles are passed over: they differ between any two sessions, or follow from the others.
        public var ignoredRoles: [EventRole] = [.header, .clock, .keyframe, .closing]
        /// How many events are shown before and behind the difference.
        public var context = 3

        /// Instants do not count, and three events are shown on each side of the difference.
        public init() {}
    }

    /// The first pair of events that differ; nil on the side that has ended.
    public var left: Event?
    /// The right one of the pair; nil when the right session has ended.
    public var right: Event?
    /// The last equal events before, as the left session has them.
    public var before: [Event]
    /// What follows on each side.
    public var leftAfter: [Event]
    /// The same of the right session.
    public var rightAfter: [Event]
    /// How many events were equal before the first difference.
    public var equalEvents: UInt64

    /// True when nothing differs.
    public var isEmpty: Bool { left == nil && right == nil }

    /// Compares two sessions by role, node name, channel, direction, stream and payload.
    ///
    /// - Throws: ``SessionError`` when one of them is damaged before the first difference.
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
