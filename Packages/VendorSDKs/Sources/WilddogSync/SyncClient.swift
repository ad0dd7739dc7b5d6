import AppStandIns
import Foundation
import IMClient
import IMProfiles
import IMProtocol
import IMTree
import SimulatedApp

/// The state that all references of a process share: the one connection of the machine (SYNC-1), and the observers.
/// Used on the job thread of virtual time alone.
final class SyncClient: @unchecked Sendable {
    let dialect: any Dialect
    private weak var client: SDKClient?
    /// True if a reference has been made: then it is too late for some settings (SYNC-2).
    private(set) var hasReference = false
    private(set) var isPersistent = false
    private(set) var callbackQueue = SimulatedDispatchQueue.main
    var observers = ObserverTable()
    /// The queries that the app keeps synced, and the paths that transactions hold while they run.
    private var kept: [(treePath: [TreeKey], query: TreeQuery)] = []
    private var held: [[TreeKey]] = []
    private var childIDs = ChildIDs()

    private init(_ client: SDKClient) {
        self.client = client
        dialect = client.simulation.dialect
    }

    /// The client of the process in which the calling code runs.
    static func current(for what: @autoclosure () -> String) -> SyncClient {
        SDKClient.current(for: what()).singleton { client in
            let made = SyncClient(client)
            client.observe { [weak made] in made?.handleNotice($0) }
            return made
        }
    }

    // MARK: Commands

    /// The maximum size of one write: an event of a session file has to hold it. The vendor's limit is 2 MB.
    private static let weightMax = 100_000

    /// Gives the machine a command about the tree.
    ///
    /// - Parameter completion: gets the vendor's error, nil for success, on the callback queue.
    func perform(_ command: TreeCommand, completion: ((NSError?) -> Void)?) {
        if command.weight > Self.weightMax {
            note("a write of \(command.weight) bytes is refused: a session file holds no more than \(Self.weightMax)")
            return fail(.requestTooLarge, completion)
        }
        guard let completion else { return ask(command, completion: nil) }
        let call = CallKind(.tree(command))
        ask(command) { [dialect, weak self] outcome in
            self?.callBack { completion(dialect.syncError(outcome.status, of: call)) }
        }
    }

    /// - Parameter completion: gets the answer unchanged, on the main thread.
    func ask(_ command: TreeCommand, completion: ((Completion) -> Void)?) {
        client?.perform(.tree(command), completion: completion)
    }

    func keepSynced(_ treePath: [TreeKey], _ query: TreeQuery, _ isOn: Bool) {
        kept.removeAll { $0.treePath == treePath && $0.query == query }
        if isOn { kept.append((treePath, query)) }
        keep(treePath, query, isOn || (query.isDefault && held.contains(treePath)))
    }

    /// Keeps a path's value available until it is released as often.
    func hold(_ treePath: [TreeKey]) {
        if !held.contains(treePath), !isKept(treePath) { keep(treePath, .all, true) }
        held.append(treePath)
    }

    func release(_ treePath: [TreeKey]) {
        guard let index = held.firstIndex(of: treePath) else { return }
        held.remove(at: index)
        // If the connection has ended for good, nothing opens it again.
        if !held.contains(treePath), !isKept(treePath), client?.state != .loggedOut { keep(treePath, .all, false) }
    }

    private func isKept(_ treePath: [TreeKey]) -> Bool {
        kept.contains { $0.treePath == treePath && $0.query.isDefault }
    }

    private func keep(_ treePath: [TreeKey], _ query: TreeQuery, _ isOn: Bool) {
        ask(.keep(path: treePath.joined, query.isDefault ? nil : query, isOn: isOn), completion: nil)
    }

    func goOffline() { client?.perform(.goOffline) }

    func goOnline() { client?.perform(.goOnline) }

    /// A call that fails before it reaches the machine; the vendor's SDK would end the app there.
    func refuse(_ rule: String, _ text: String, _ status: Status, completion: ((NSError?) -> Void)?) {
        violated(rule, text)
        fail(status, completion)
    }

    private func fail(_ status: Status, _ completion: ((NSError?) -> Void)?) {
        guard let completion else { return }
        later { [dialect, weak self] in self?.callBack { completion(dialect.syncError(status)) } }
    }

    // MARK: Settings

    func madeReference() { hasReference = true }

    func persist(_ isOn: Bool) {
        guard !hasReference else {
            return violated("SYNC-2", "persistenceEnabled is set after the first reference was made")
        }
        guard isOn != isPersistent else { return }
        isPersistent = isOn
        ask(.persistence(bytesMax: isOn ? TreeClient.storageBytesMax : nil), completion: nil)
    }

    func callBack(on queue: SimulatedDispatchQueue) {
        guard !hasReference else {
            return violated("SYNC-2", "callbackQueue is set after the first reference was made")
        }
        callbackQueue = queue
    }

    // MARK: State

    /// The machine's known part of the tree. Nil after the process has ended.
    func known(ofInfo isInfo: Bool) -> SyncTree? { client?.machine?.knownTree(ofInfo: isInfo) }

    /// A key that sorts after all keys made before.
    func nextChildID() -> TreeKey {
        let milliseconds = client?.simulation.world.core.wallMilliseconds ?? 0
        return childIDs.next(at: milliseconds) { UInt64.random(in: .min ... .max) }
    }

    /// The app broke a rule.
    func violated(_ rule: String, _ text: String) { client?.violated(rule, text) }

    /// Writes a line into the session.
    func note(_ text: String) { client?.simulation.note(text) }

    // MARK: Callbacks

    /// On the main thread, after all that the machine has sent up to now.
    func later(_ body: @escaping () -> Void) { client?.enqueue("a callback", body) }

    /// Calls `body` on the callback queue. To be called on the main thread.
    func callBack(_ body: @escaping () -> Void) {
        guard callbackQueue !== SimulatedDispatchQueue.main else { return body() }
        // It moves from one queue of the job thread to another.
        nonisolated(unsafe) let body = body
        callbackQueue.async { body() }
    }

    private func handleNotice(_ appNotice: SDKClient.AppNotice) {
        switch appNotice {
        case .notified(.treeValue(let path, let node, let query)):
            notify(.value, at: path, query) { ObservedChange(key: nil, node: node, previous: nil) }
        case .notified(.treeChild(let notice)):
            notify(notice.kind, at: notice.path, notice.query) {
                ObservedChange(key: TreeKey(notice.key), node: notice.node, previous: notice.previousKey)
            }
        case .notified(.treeCancelled(let path, let query, let status)):
            cancelled(at: path, query ?? .all, status)
        case .notified(.autologinFailed(let status)):
            // The server no longer admits the device, and the machine has discarded all of it.
            (kept, held) = ([], [])
            cancelledAll(status)
        case .notified, .changed: break
        }
    }
}

extension TreeCommand {
    /// A lower limit of the bytes that the value takes in a write.
    fileprivate var weight: Int {
        switch self {
        case .set(_, let node), .push(_, let node), .onDisconnect(_, let node): node.weight
        case .update(_, let update), .onDisconnectUpdate(_, let update): TreeWrite.Change.update(update.parts).weight
        case .get, .listen, .unlisten, .transaction, .keep, .persistence, .outline, .cancelOnDisconnect: 0
        }
    }
}
