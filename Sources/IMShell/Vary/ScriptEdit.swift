import SansIO

/// One change of a script: a different wait, two swapped lines, a different seed, or an additional fault of a network
/// or a device.
package struct ScriptEdit: Hashable, Sendable {
    /// The kind of a change. The kinds that are common in practice come first.
    package enum Kind: String, CaseIterable, Sendable {
        /// A line runs later, or a `wait` has a different length.
        case wait
        /// Two lines of different devices are swapped.
        case order
        /// The world has a different random seed.
        case seed
        /// All frames of a device are delayed.
        case delay
        /// One frame of a certain type of a device is held for a while and then delivered.
        case hold
        /// One frame of a certain type of a device is lost.
        case loss
        /// A device has no network for a while.
        case outage
        /// A device sleeps for a while.
        case sleep

        package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package var kind: Kind
    /// The index of the changed statement. A fault begins before this statement, or during it if it is a `wait`.
    package var statementIndex: Int
    /// The time from the start of the `wait` to the fault.
    package var offset: Interval = .zero
    /// The affected device, as `@name`; empty for the only device.
    package var device = ""
    /// The type of the frame and the option with its direction: `login --dir out`.
    package var frame = ""
    /// The duration of the fault, or the new length of the `wait`. Zero for changes without a duration.
    package var length: Interval = .zero
    package var seed: UInt64 = 0

    /// The lines that replace the statement at `statementIndex`.
    ///
    /// - Parameter wait: the length of the statement if it is a `wait`; nil for other statements.
    func lines(replacing source: String, wait: Interval?) -> [String] {
        let faultLines: [String]
        switch kind {
        case .order, .seed: return [source]
        case .wait:
            if wait != nil { return ["wait \(length.text)"] }
            return ["wait \(length.text)", source]
        case .delay: faultLines = [command("net delay \(length.text)")]
        case .loss: faultLines = [command("net drop \(frame) --count 1")]
        case .hold:
            faultLines = [command("net hold \(frame) --count 1"), "wait \(length.text)", command("net release")]
        case .outage: faultLines = [command("net down"), "wait \(length.text)", command("net up")]
        case .sleep: faultLines = [command("app sleep \(length.text)")]
        }
        guard let wait else { return faultLines + [source] }
        let elapsed = kind == .hold || kind == .outage ? offset + length : offset
        return (offset > .zero ? ["wait \(offset.text)"] : []) + faultLines
            + (elapsed < wait ? ["wait \((wait - elapsed).text)"] : [])
    }

    private func command(_ words: String) -> String { device.isEmpty ? words : "\(device) \(words)" }

    /// The simpler variants of this change, the simplest first: shorter ones, then the same fault without an offset.
    var simplerVariants: [ScriptEdit] {
        guard kind != .seed, kind != .order, kind != .loss else { return [] }
        var edits = ScriptEdit.lengths.filter { $0 < length }.map { with(length: $0) }
        if offset > .zero {
            var first = self
            first.offset = .zero
            edits.append(first)
        }
        return edits
    }

    func with(length: Interval) -> ScriptEdit {
        var edit = self
        edit.length = length
        return edit
    }

    /// The lengths of waits and faults that a search tries.
    package static let lengths: [Interval] =
        [1, 2, 5, 10, 20, 50, 100, 200, 500].map { .milliseconds($0) } + [1, 2, 5, 10, 20, 40].map { .seconds($0) }
        + [1, 2, 5].map { .minutes($0) }
}
