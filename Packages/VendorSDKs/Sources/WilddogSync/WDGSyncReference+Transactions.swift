import Foundation
import IMClient
import IMProtocol
import IMTree

/// What a transaction makes of what stands there. May be run several times.
public typealias WDGTransactionBlock = (WDGMutableData) -> WDGTransactionResult
/// How a transaction ended: the error, whether the server has taken it, and what stands there where nothing failed.
public typealias WDGTransactionCompletionBlock = ((any Error)?, Bool, WDGDataSnapshot?) -> Void

extension WDGSyncReference {
    /// Makes something of what stands there (SYNC-10): the block runs on what is known here, nil where nothing is; where
    /// the server has something else, it runs again on that, at most 25 times (26203). Listeners are told of each run.
    public func runTransactionBlock(_ block: @escaping WDGTransactionBlock) { run(block, nil, isHidden: false) }

    /// The same, and says how it ended.
    public func runTransactionBlock(
        _ block: @escaping WDGTransactionBlock,
        andCompletionBlock completionBlock: @escaping WDGTransactionCompletionBlock
    ) {
        run(block, completionBlock, isHidden: false)
    }

    /// The same.
    ///
    /// - Parameter localEvents: whether listeners are told before the server has taken it.
    public func runTransactionBlock(
        _ block: @escaping WDGTransactionBlock, andCompletionBlock completionBlock: WDGTransactionCompletionBlock?,
        withLocalEvents localEvents: Bool
    ) {
        run(block, completionBlock, isHidden: !localEvents)
    }

    private func run(
        _ block: @escaping WDGTransactionBlock, _ completion: WDGTransactionCompletionBlock?, isHidden: Bool
    ) {
        let known = client.known(ofInfo: place.isInfo)?.completeNode(at: place) ?? .empty
        BlockTransaction(self, block, completion, isHidden: isHidden).run(on: known)
    }
}

/// A transaction of an app, in terms of those of the machine.
///
/// The machine's make of the old value what an expression says, so that they can be recorded; a block of the app cannot.
/// So the block is run here, and what the machine is given is: this, if that stands there; else nothing. Where the
/// machine gives up, it says what stands there, and the block is run on that. The place is kept up to date meanwhile: the
/// machine forgets what nobody needs.
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
        let place = reference.place
        let data = WDGMutableData(node, key: place.last?.text) { [client] text in
            client.violated("SYNC-10", "\(text) in a transaction at /\(place.joined)")
        }
        let output = block(data).node
        guard let expression = expression(of: output, over: node) else { return fail(.requestTooLarge) }
        if output != nil, !isHolding, !place.isInfo, client.known(ofInfo: false)?.completeServerNode(at: place) == nil {
            isHolding = true
            client.hold(place)
        }
        client.ask(.transaction(path: place.joined, expression, isHidden: isHidden)) { [self] outcome in
            ended(outcome, hasAborted: output == nil)
        }
    }

    /// Nil where it gets too long.
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
        let snapshot = WDGDataSnapshot(node, at: reference.place, of: reference.shared)
        client.callBack { completion(nil, isCommitted, snapshot) }
    }

    private func release() {
        if isHolding { client.release(reference.place) }
        isHolding = false
    }

    private func fail(_ status: Status) {
        release()
        guard let completion, let error = client.dialect.syncError(status) else { return }
        client.later { [client] in client.callBack { completion(error, false, nil) } }
    }
}
