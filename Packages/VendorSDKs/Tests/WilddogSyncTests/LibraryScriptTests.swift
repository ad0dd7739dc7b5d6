import Foundation
import IMTree
import LibraryScripts
import SimulatedApp
import Testing

@testable import WilddogSync

private let scripts = (try? LibraryScript.all(of: "wilddog").map(withWhoDoesSomething)) ?? []

/// In one of them the phone only adds and reads; the shell runs those lines unchanged.
private func withWhoDoesSomething(_ script: LibraryScript) throws -> LibraryScript {
    script.name == "wilddog/sync-10-names-in-the-order-of-adding" ? try LibraryScript(script.name, of: "pad") : script
}

/// The scripts of the session library, with the phone driven through the module: those of `wilddog`, and the common
/// scripts and patterns for its profile.
///
/// The shell runs these lines unchanged, because the module makes other calls to the machine: `sync get` (it listens
/// once), `sync push` (it creates the name), `sync transaction` (a block is not an expression), `sync on` of several
/// kinds of events (it adds one observer for each), and `sync persistence` with a size (it has no setting for that).
@MainActor
@Suite struct LibraryScriptTests {
    @Test func theScriptsAreFound() {
        #expect(scripts.count >= 37)
        #expect(scripts.count { $0.name.hasPrefix("wilddog/") } >= 31)
        #expect(scripts.count { $0.name.hasPrefix("common/") } >= 4)
    }

    @Test(arguments: scripts) func theSameHappensThroughTheModule(_ script: LibraryScript) async throws {
        let outcome = try await script.play(launch: launch, perform)
        #expect(outcome.difference == nil, "\(script)")
        #expect(!outcome.performed.isEmpty, "\(script)")
    }

    /// Scripts in which a client other than the phone uses the module; it makes calls that no phone makes.
    private nonisolated static let others = [
        ("wilddog/sync-01-two-under-one-name", "b"), ("wilddog/sync-04-every-order", "pad"),
        ("wilddog/sync-04-the-last-four-scores", "pad"), ("wilddog/sync-10-a-refused-write-under-listeners", "pad"),
        ("wilddog/s-23-the-last-two-offline", "web"),
    ]

    @Test(arguments: others) func otherClientsBehaveTheSame(_ name: String, _ client: String) async throws {
        let outcome = try await LibraryScript(name, of: client).play(launch: launch, perform)
        #expect(outcome.difference == nil)
        #expect(!outcome.performed.isEmpty)
    }

    @Test func aDifferenceIsReported() async throws {
        let script = try LibraryScript("wilddog/s-24-pending-writes-after-a-kill")
        let outcome = try await script.play(launch: launch) { words, app in
            let isDone = perform(words, of: app)
            if words == ["sync", "on", "/"] { _ = perform(["sync", "keep", "other", "on"], of: app) }
            return isDone
        }
        #expect(outcome.difference?.contains("the module:") == true)
        #expect(outcome.difference?.contains("other") == true)
    }

    private func launch(_ app: ScriptApp) {
        WDGApp.configure(with: WDGOptions(syncURL: "https://samplechat.wilddogio.com"))
    }

    private func perform(_ words: [String], of app: ScriptApp) -> Bool {
        switch words.first {
        case "go-offline" where words.count == 1: WDGSync.sync().goOffline()
        case "go-online" where words.count == 1: WDGSync.sync().goOnline()
        case "sync" where words.count > 2: return sync(words[1], Array(words[2...]))
        case "on-disconnect" where words.count > 2: return order(words[1], at: words[2], Array(words[3...]))
        default: return false
        }
        return true
    }

    private func sync(_ verb: String, _ words: [String]) -> Bool {
        if verb == "persistence" { return persist(words) }
        let place = WDGSync.sync().reference(withPath: words[0])
        var rest = Array(words.dropFirst())
        switch verb {
        case "set":
            let priority = rest.firstIndex(of: "--priority")
            guard let priority, rest.indices.contains(priority + 1) else {
                place.setValue(value(rest))
                break
            }
            let order = value([rest[priority + 1]])
            rest.removeSubrange(priority...(priority + 1))
            place.setValue(value(rest), andPriority: order)
        case "update":
            guard let values = value(rest) as? [AnyHashable: Any] else { return false }
            place.updateChildValues(values)
        case "remove": place.removeValue()
        case "priority": place.setPriority(value(rest))
        case "keep": place.keepSynced(rest == ["on"])
        case "on": return observe(place, rest)
        case "off":
            guard rest.isEmpty, place.client.observers.watches.contains(where: { $0.treePath == place.treePath }) else {
                return false
            }
            place.removeAllObservers()
        default: return false
        }
        return true
    }

    private func order(_ verb: String, at path: String, _ rest: [String]) -> Bool {
        let place = WDGSync.sync().reference(withPath: path)
        switch verb {
        case "set": place.onDisconnectSetValue(value(rest))
        case "remove": place.onDisconnectRemoveValue()
        case "update":
            guard let values = value(rest) as? [AnyHashable: Any] else { return false }
            place.onDisconnectUpdateChildValues(values)
        case "cancel": place.cancelDisconnectOperations()
        default: return false
        }
        return true
    }

    /// The module ignores a call that comes too late.
    private func persist(_ words: [String]) -> Bool {
        guard words.count == 1, !SyncClient.current(for: "a script").hasReference else { return false }
        WDGSync.sync().persistenceEnabled = words == ["on"]
        return true
    }

    private func observe(_ place: WDGSyncReference, _ words: [String]) -> Bool {
        let kinds: [String: WDGDataEventType] = [
            "child-added": .childAdded, "child-removed": .childRemoved, "child-changed": .childChanged,
            "child-moved": .childMoved, "value": .value,
        ]
        var query: WDGSyncQuery = place
        var type: WDGDataEventType?
        for place in stride(from: 0, to: words.count - 1, by: 2) {
            let word = words[place + 1]
            switch words[place] {
            case "--event" where type == nil: type = kinds[word]
            case "--last": query = query.queryLimited(toLast: UInt(word) ?? 0)
            case "--order-by" where word == "key": query = query.queryOrderedByKey()
            case "--order-by" where word == "value": query = query.queryOrderedByValue()
            case "--order-by" where word == "priority": query = query.queryOrderedByPriority()
            case "--order-by" where word.hasPrefix("child="):
                query = query.queryOrdered(byChild: String(word.dropFirst("child=".count)))
            default: return false
            }
        }
        let kind = TreeEventKind(rawValue: (type ?? .value).rawValue)
        // The machine gets one request for each kind; the module passes its events to further observers.
        guard let kind, place.client.observers.watch(query.treePath, query.query)?.kinds.contains(kind) != true else {
            return false
        }
        query.observe(type ?? .value, with: { _ in })
        return true
    }

    /// JSON, or else plain text, like values in scripts.
    private func value(_ words: [String]) -> Any? {
        let text = words.joined(separator: " ")
        return (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) ?? text
    }
}
