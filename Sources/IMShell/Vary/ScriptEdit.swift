import SansIO

/// One change of a script: a different wait, two swapped lines, or a fault of the network or a device that is possible
/// at any time.
package struct ScriptEdit: Hashable, Sendable {
    /// The kind of a change, from common to rare.
    package enum Kind: String, CaseIterable, Sendable {
        /// A line comes later, or a `wait` has another length.
        case wait
        /// Two lines of different devices are swapped.
        case order
        /// Everything random gets another seed.
        case seed
        /// Every frame of a device takes longer.
        case delay
        /// A device's frames of some type are held back for a while.
        case hold
        /// A device's frames of some type are lost.
        case loss
        /// A device has no network for a while.
        case outage
        /// A device sleeps for a while.
        case sleep

        package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package var kind: Kind
    /// The index of the statement that is changed, or before which the fault comes.
    package var statementIndex: Int
    /// The offset of the fault in the `wait` at that index.
    package var offset: Interval = .zero
    /// The affected device, with its `@`; empty for the only one.
    package var device = ""
    /// The type of a frame, with its direction as an option.
    package var frame = ""
    /// The duration of the fault; for a changed `wait`, its new length. Zero for changes without a duration.
    package var length: Interval = .zero
    package var seed: UInt64 = 0

    /// The lines that replace the statement.
    ///
    /// - Parameter wait: the length of the replaced `wait`; nil for another statement.
    func lines(instead source: String, wait: Interval?) -> [String] {
        let begins: [String]
        switch kind {
        case .order, .seed: return [source]
        case .wait:
            if wait != nil { return ["wait \(length.text)"] }
            return ["wait \(length.text)", source]
        case .delay: begins = [command("net delay \(length.text)")]
        case .loss: begins = [command("net drop \(frame) --count 1")]
        case .hold: begins = [command("net hold \(frame) --count 1"), "wait \(length.text)", command("net release")]
        case .outage: begins = [command("net down"), "wait \(length.text)", command("net up")]
        case .sleep: begins = [command("app sleep \(length.text)")]
        }
        guard let wait else { return begins + [source] }
        let taken = kind == .hold || kind == .outage ? offset + length : offset
        return (offset > .zero ? ["wait \(offset.text)"] : []) + begins
            + (taken < wait ? ["wait \((wait - taken).text)"] : [])
    }

    private func command(_ words: String) -> String { device.isEmpty ? words : "\(device) \(words)" }

    /// Simpler variants of this change, the simplest first.
    var simpler: [ScriptEdit] {
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

    /// The lengths to try: round ones.
    package static let lengths: [Interval] =
        [1, 2, 5, 10, 20, 50, 100, 200, 500].map { .milliseconds($0) } + [1, 2, 5, 10, 20, 40].map { .seconds($0) }
        + [1, 2, 5].map { .minutes($0) }
}
