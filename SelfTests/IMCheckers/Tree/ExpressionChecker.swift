import IMProtocol
import IMSession
import IMTree

/// Checks that transactions compute the values that their expressions define (SYNC-5). Hand-written functions compute
/// the values of a few expressions a second time. At ``treePath`` only transactions with these expressions run, so each
/// value there must be the result of one of the functions for the previous value.
package struct ExpressionChecker: Checker {
    /// The path at which only transactions with ``expressions`` run.
    package static let treePath = "e"
    /// The expressions that a function of this checker computes, too.
    package static let expressions = [
        "if value > 3 and value < 10 then 0 else value + 1",
        "if value >= 5 or value == 2 then value * 2 - 7 else value + 2", "if not exists then 4 else value - 1",
        "if value <= 1 then 6 else if value != 4 then value - 3 else abort", "2 + value * 3 - 1", "(value + 1) * 2",
    ]

    /// The possible results of the expressions for a number.
    private static func results(of value: Double) -> [Double] {
        var results = [value > 3 && value < 10 ? 0 : value + 1]
        results.append(value >= 5 || value == 2 ? value * 2 - 7 : value + 2)
        results.append(value - 1)
        if value != 4 { results.append(value <= 1 ? 6 : value - 3) }
        return results + [2 + value * 3 - 1, (value + 1) * 2]
    }

    private var last: Double?
    private var pending: (connection: ConnectionID, value: TreeNode)?

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(let input):
            pending = nil
            guard case .frame(let connection, let frame) = input,
                case .tree(.transaction(Self.treePath, let node, _)) = frame.body
            else { return }
            pending = (connection, node)
        case .effect(.send(let connection, let frame)):
            guard case .treeAck(.ok, _) = frame.body, let (sender, node) = pending, sender == connection else { return }
            pending = nil
            // The expressions compute numbers from numbers, so other values are not checked.
            guard case .number(let value)? = node.leaf else { return }
            defer { last = value }
            // If there is no value, `if not exists then 4` gives 4. The other expressions use 0 as the value.
            let results = Self.results(of: last ?? 0) + (last == nil ? [4] : [])
            guard !results.contains(value) else { return }
            let detail = "\(value) of \(last ?? 0)"
            violations.add(.tree, "SYNC-5", "a transaction's result does not follow from its expression", detail)
        default: break
        }
    }
}
