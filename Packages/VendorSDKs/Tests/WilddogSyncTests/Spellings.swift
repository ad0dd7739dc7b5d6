import Foundation
import WilddogCore
import WilddogSync

/// The calls in the spellings that apps use, without the main actor, with trailing and parenthesized blocks. Used only
/// on the job thread of virtual time.
final class Spellings: @unchecked Sendable {
    private(set) var words: [String] = []
    private let ref: WDGSyncReference
    private var handle: WDGSyncHandle?

    init() {
        let options = WDGOptions.init(syncURL: "https://samplechat.wilddogio.com")
        WDGApp.configure(with: options)
        ref = WDGSync.sync().reference()
    }

    func write() {
        let bin: [String: Any] = ["uid": "u", "latitude": 1.5]
        ref.child("bins").childByAutoId().setValue(
            bin,
            withCompletionBlock: { error, ref in
                if error != nil { self.words.append("\(String(describing: error?.localizedDescription))") }
                self.words.append("bin \(ref.key.count)")
            })
        ref.child("game").updateChildValues(["A": 1, "players": 1]) { (error, gameRef) in
            self.words.append(error == nil ? "game \(gameRef.key)" : "failed")
        }
        ref.child("who").setValue(["first": "jack", "last": "Lee"], andPriority: 100) { (error, _) in
            if error == nil { self.words.append("who") }
        }
        ref.child("users").child("u").setValue(true)
        ref.child("users").child("u").onDisconnectRemoveValue()
        ref.child("users").onDisconnectUpdateChildValues(["u": NSNull()]) { error, _ in
            self.words.append("order \(error == nil)")
        }
        ref.child("gone").removeValue { error, ref in self.words.append("gone \(error == nil)") }
        ref.child("who").cancelDisconnectOperations { _, _ in self.words.append("cancelled") }
    }

    func read() {
        handle = ref.child("bins").observe(
            .childAdded,
            with: { snapshot in
                guard let bin = snapshot.value as? [String: AnyObject] else { return }
                self.words.append("added \(bin["uid"] as? String ?? "") \(bin["latitude"] as? Double ?? 0)")
            })
        ref.child("who").observe(.value) { snapshot in
            guard let who = snapshot.value as? [String: String] else { return }
            self.words.append("who is \(who["first"] ?? "")")
        }
        ref.child("bins").queryLimited(toLast: 1).observeSingleEvent(
            of: .value,
            with: { (snapshot) in
                for child in snapshot.children {
                    guard let child = child as? WDGDataSnapshot else { continue }
                    self.words.append("child \(child.childSnapshot(forPath: "uid").value as? String ?? "")")
                }
            }
        ) { (error) in
            self.words.append(error.localizedDescription)
        }
    }

    func count() {
        ref.child("count").runTransactionBlock(
            { (currentData: WDGMutableData) -> WDGTransactionResult in
                var value = currentData.value as? Int
                if value == nil { value = 0 }
                currentData.value = (value ?? 0) + 1
                return WDGTransactionResult.success(withValue: currentData)
            },
            andCompletionBlock: { (error, committed, snapshot) in
                self.words.append("count \(committed) \(snapshot?.value ?? "nothing")")
            })
    }

    func stop() {
        if let handle { ref.child("bins").removeObserver(withHandle: handle) }
        ref.removeAllObservers()
        ref.child("who").removeAllObservers()
        WDGSyncReference.goOffline()
    }
}
