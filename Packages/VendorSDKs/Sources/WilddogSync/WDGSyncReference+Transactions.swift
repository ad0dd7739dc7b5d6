import Foundation
import IMClient
import IMProtocol
import IMTree

/// Computes the new value of a transaction. May run several times.
public typealias WDGTransactionBlock = (WDGMutableData) -> WDGTransactionResult
/// The result of a transaction: the error, true if the server has accepted it, and the value if nothing failed.
public typealias WDGTransactionCompletionBlock = ((any Error)?, Bool, WDGDataSnapshot?) -> Void

extension WDGSyncReference {
    /// Changes a value depending on the old one (SYNC-10). The block runs on the locally known value, nil if none is
    /// known. If the server has another value, it runs again on that one, at most 25 times (26203). Listeners are
    /// notified of each run.
    public func runTransactionBlock(_ block: @escaping WDGTransactionBlock) { run(block, nil, isHidden: false) }

    /// Like `runTransactionBlock(_:)`, with a completion.
    public func runTransactionBlock(
        _ block: @escaping WDGTransactionBlock,
        andCompletionBlock completionBlock: @escaping WDGTransactionCompletionBlock
    ) {
        run(block, completionBlock, isHidden: false)
    }

    /// Like `runTransactionBlock(_:andCompletionBlock:)`, with a choice of local events.
    ///
    /// - Parameter localEvents: true to notify listeners before the server has accepted it.
    public func runTransactionBlock(
        _ block: @escaping WDGTransactionBlock, andCompletionBlock completionBlock: WDGTransactionCompletionBlock?,
        withLocalEvents localEvents: Bool
    ) {
        run(block, completionBlock, isHidden: !localEvents)
    }

    private func run(
        _ block: @escaping WDGTransactionBlock, _ completion: WDGTransactionCompletionBlock?, isHidden: Bool
    ) {
        let known = client.known(ofInfo: treePath.isInfo)?.completeNode(at: treePath) ?? .empty
        BlockTransaction(self, block, completion, isHidden: isHidden).run(on: known)
    }
}

/// A transaction of an app, made of transactions of the machine.
///
/// The machine's transactions compute the new value with an expression, so that they can be recorded; a block of the
/// app cannot be recorded. So the block runs here, and the machine gets an expression: this output if the value equals
/// the block's input, otherwise nothing. If the machine gives up, it returns the actual value, and the block runs on
/// that. The path is kept synced meanwhile, because the machine discards values that nobody needs.
private final class BlockTransaction {
    private let reference: WDGSyncReference
    private let block: WDGTransactionBlock
    private let completion: WDGTransactionCompletionBlock?
    private let isHidden: Bool
    private var runs = 0
    private var isHolding = false

    private var client: SyncClient { reference.client }

    init(
        _ reference: WDGSyncReference, _ block: @escaping WDGTransactionBlock,
        _ completion: WDGTransactionCompletionBlock?, isHidden: Bool
    ) {
        self.reference = reference
        self.block = block
        self.completion = completion
        self.isHidden = isHidden
    }

    func run(on node: TreeNode) {
        runs += 1
        let treePath = reference.treePath
        let data = WDGMutableData(node, key: treePath.last?.text) { [client] text in
            client.violated("SYNC-10", "\(text) in a transaction at /\(treePath.joined)")
        }
        let output = block(data).node
        guard let expression = expression(of: output, over: node) else { return fail(.requestTooLarge) }
        if output != nil, !isHolding, !treePath.isInfo,
            client.known(ofInfo: false)?.completeServerNode(at: treePath) == nil
        {
            isHolding = true
            client.hold(treePath)
        }
        client.ask(.transaction(path: treePath.joined, expression, isHidden: isHidden)) { [self] outcome in
            ended(outcome, hasAborted: output == nil)
        }
    }

    /// Nil if it gets too long.
    private func expression(of output: TreeNode?, over node: TreeNode) -> TransactionExpression? {
        guard let output else { return .abort }
        return try? TransactionExpression("if value == \(node.expression) then \(output.expression) else abort")
    }

    private func ended(_ outcome: Completion, hasAborted: Bool) {
        guard outcome.status == .ok else { return fail(outcome.status) }
        let answer = outcome.rows.first?.fields ?? []
        func field(_ name: String) -> String? { answer.first { $0.name == name }?.value }
        let node = TreeNode(answer: field("value") ?? "null")
        let isCommitted = field("committed") == "true"
        guard isCommitted || hasAborted else {
            return runs > TreeClient.retriesMax ? fail(.transactionRetries) : run(on: node)
        }
        release()
        guard let completion else { return }
        let snapshot = WDGDataSnapshot(node, at: reference.treePath, of: reference.shared)
        client.callBack { completion(nil, isCommitted, snapshot) }
    }

    private func release() {
        if isHolding { client.release(reference.treePath) }
        isHolding = false
    }

    private func fail(_ status: Status) {
        release()
        guard let completion, let error = client.dialect.syncError(status) else { return }
        client.later { [client] in client.callBack { completion(error, false, nil) } }
    }
}
