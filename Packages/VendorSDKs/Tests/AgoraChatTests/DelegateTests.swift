import AgoraChat
import AppStandIns
import Dispatch
import SimulatedApp
import Testing

// All of it is used only on the job thread of virtual time, so it is Sendable.

/// Stores the queue of each event. It does not use the main actor.
private final class Listener: AgoraChatClientDelegate, AgoraChatLogDelegate, @unchecked Sendable {
    private(set) var words: [String] = []
    private let key: DispatchSpecificKey<String>

    init(_ key: DispatchSpecificKey<String>) { self.key = key }

    private func note(_ word: String) {
        words.append("\(SimulatedDispatchQueue.getSpecific(key: key) ?? "main"): \(word)")
    }

    func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState) { note("\(aConnectionState)") }
    func userAccountDidLoginFromOtherDevice(_ aDeviceName: String?) { note("kicked by \(aDeviceName ?? "")") }
    func logDidOutput(_ log: String) { note(log) }
}

/// A delegate as in apps before version 4.1.
private final class OldListener: AgoraChatClientDelegate, @unchecked Sendable {
    private(set) var kicks = 0
    func userAccountDidLoginFromOtherDevice() { kicks += 1 }
}

/// Removes the other listener in a callback.
private final class Remover: AgoraChatClientDelegate, @unchecked Sendable {
    let other: Listener
    init(_ other: Listener) { self.other = other }
    func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState) {
        AgoraChatClient.shared().removeDelegate(other)
    }
}

@MainActor
@Suite struct DelegateTests {
    private let key = DispatchSpecificKey<String>()

    private func initialise(_ level: AgoraChatLogLevel = .debug) {
        let options = AgoraChatOptions(appkey: "org#app")
        options.logLevel = level
        AgoraChatClient.shared().initializeSDK(with: options)
    }

    @Test func eachDelegateIsCalledOnItsQueue() async throws {
        try await withSimulation("agora-chat") { simulation in
            try simulation.script("server policy device-count-max=1")
            let queue = SimulatedDispatchQueue(label: "app.chat")
            queue.setSpecific(key: key, value: "queue")
            let phone = simulation.device("phone")
            let (own, main, nobody) = (Listener(key), Listener(key), Listener(key))
            let old = OldListener()
            try phone.launch {
                let client = AgoraChatClient.shared()
                client.add(own, delegateQueue: queue)
                client.add(main, delegateQueue: .main)
                client.add(nobody, delegateQueue: queue)
                client.removeDelegate(nobody)
                client.add(old, delegateQueue: nil)
                do { client.add(Listener(key), delegateQueue: nil) }  // is released at once
                initialise()
            }
            let token = simulation.token(for: "alice")
            try await phone.run {
                #expect(await AgoraChatClient.shared().login(withUsername: "alice", token: token).1 == nil)
            }
            try simulation.script("client new pad --platform ios --device-name 'A pad'\n@pad login alice\nwait 2s")
            #expect(own.words == ["queue: connected", "queue: disconnected", "queue: kicked by A pad"])
            #expect(main.words == ["main: connected", "main: disconnected", "main: kicked by A pad"])
            #expect(nobody.words == [])
            #expect(old.kicks == 1)
        }
    }

    @Test func aRemovedDelegateIsNotCalled() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let listener = Listener(key)
            let remover = Remover(listener)
            try phone.launch {
                AgoraChatClient.shared().add(remover, delegateQueue: nil)
                AgoraChatClient.shared().add(listener, delegateQueue: nil)
                initialise()
            }
            let token = simulation.token(for: "alice")
            try await phone.run {
                #expect(await AgoraChatClient.shared().login(withUsername: "alice", token: token).1 == nil)
            }
            await simulation.run(for: .seconds(1))
            #expect(listener.words == [])
        }
    }

    @Test func theLogContainsTheCallbacks() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let (all, errors) = (Listener(key), Listener(key))
            try phone.launch {
                AgoraChatClient.shared().addLog(delegate: all, queue: nil)
                initialise()
                AgoraChatClient.shared().log("a line of the app")
            }
            let other = simulation.device("other")
            try other.launch {
                AgoraChatClient.shared().addLog(delegate: errors, queue: nil)
                initialise(.error)
            }
            let token = simulation.token(for: "alice")
            try await phone.run {
                let client = AgoraChatClient.shared()
                #expect(await client.login(withUsername: "alice", token: token).1 == nil)
                #expect(await client.logout(true) == nil)
                client.removeLog(delegate: all)
                client.log("not told")
            }
            try await other.run {
                let client = AgoraChatClient.shared()
                #expect(await client.login(withUsername: "alice", token: "nonsense").1 != nil)
            }
            #expect(
                all.words == [
                    "main: a line of the app",
                    "main: state: logged-out -> connecting, login",
                    "main: state: connecting -> online, login-succeeded",
                    "main: connectionStateDidChange state=AgoraChatConnectionConnected(0)",
                    "main: login: AgoraChatErrorNoError(0)",
                    "main: state: online -> logged-out, logout",
                    "main: connectionStateDidChange state=AgoraChatConnectionDisconnected(1)",
                    "main: logout: AgoraChatErrorNoError(0)",
                ])
            #expect(errors.words == ["main: login: AgoraChatErrorUserAuthenticationFailed(202)"])
        }
    }
}
