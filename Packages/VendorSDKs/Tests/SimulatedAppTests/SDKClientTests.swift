import AppStandIns
import Dispatch
import IMClient
import IMLocalData
import SimulatedApp
import Testing

/// The interface that modules of vendors are built on.
@MainActor
@Suite struct SDKClientTests {
    /// A client that is logged in, with a message in the user's data.
    private func loggedIn(_ simulation: Simulation) async throws -> (device: SimulatedDevice, client: SDKClient) {
        try simulation.script(
            """
            server account add alice
            server change alice message messageID=m1 conversationID=bob senderUserID=bob message=hello
            """)
        let device = simulation.device("phone")
        try device.launch {}
        let client = try #require(device.client)
        let credential = client.keep(token: simulation.token(for: "alice"))
        try device.perform { client.perform(.login(user: "alice", credential: credential, mode: .manual)) }
        await simulation.run(for: .seconds(2))
        #expect(client.state == .online)
        return (device, client)
    }

    private let history = LocalRequest(.queryHistoryMessage, [("conversationID", "bob")])

    @Test func readsOpenDataWithoutRecordingIt() async throws {
        try await withSimulation("zim") { simulation in
            let (device, client) = try await loggedIn(simulation)
            let seen = simulation.world.core.eventsSeen
            #expect(client.look(history)?.rows.count == 1)
            // A request that changes data is a call of the app; here it does nothing.
            #expect(client.look(LocalRequest(.deleteAllMessage, [("conversationID", "bob")])) == nil)
            #expect(client.look(LocalRequest(.exportLocalMessages, [("folderPath", "/x")])) == nil)
            #expect(client.look(history)?.rows.count == 1)
            #expect(simulation.world.core.eventsSeen == seen)
            try device.perform { client.perform(.logout(keepsPush: false)) }
            await simulation.run(for: .seconds(1))
            #expect(client.look(history) == nil)
        }
    }

    @Test func storesAChangeBeforeItReportsIt() async throws {
        try await withSimulation("zim") { simulation in
            let (_, client) = try await loggedIn(simulation)
            var notified: [String] = []
            client.observeChanges { page in notified.append("took in \(page.changes.map(\.mainName))") }
            client.observe { appNotice in
                if case .notified(.dataChanged(let kind, let name)) = appNotice { notified.append("\(kind) \(name)") }
            }
            try simulation.script(
                "server change alice message messageID=m2 conversationID=bob senderUserID=bob message=again\nwait 1s")
            #expect(notified == ["took in [\"bob\"]", "message bob"])
        }
    }

    @Test func anImmediateResultCompletesInOrder() async throws {
        try await withSimulation("zim") { simulation in
            let (device, _) = try await loggedIn(simulation)
            try device.kill()
            try device.networkDown()
            try device.launch {}
            let client = try #require(device.client)
            var notified: [String] = []
            try device.perform {
                client.observe { appNotice in
                    if case .changed(let change) = appNotice { notified.append(change.to.name) }
                }
                client.perform(.login(user: "alice", credential: "", mode: .offline)) { outcome in
                    notified.append("login \(outcome.status.name)")
                }
                #expect(notified.isEmpty)
            }
            await simulation.runDueEntries()
            #expect(notified.first == "login ok")
            #expect(notified.contains("connecting") || notified.contains("offline"))
        }
    }

    @Test func callsBackOnTheAppsQueue() async throws {
        try await withSimulation("zim") { simulation in
            let (device, client) = try await loggedIn(simulation)
            let key = DispatchSpecificKey<String>()
            var notified: [String] = []
            try device.perform {
                let queue = SimulatedDispatchQueue(label: "im")
                queue.setSpecific(key: key, value: "im")
                client.callbackQueue = queue
                client.observe { _ in notified.append(SimulatedDispatchQueue.getSpecific(key: key) ?? "main") }
                client.perform(.logout(keepsPush: false)) { _ in
                    notified.append(SimulatedDispatchQueue.getSpecific(key: key) ?? "main")
                }
            }
            await simulation.run(for: .seconds(1))
            #expect(notified == ["im", "im"])
            // A completion ends with its process.
            try device.perform {
                let credential = client.keep(token: simulation.token(for: "alice"))
                client.perform(.login(user: "alice", credential: credential, mode: .manual)) { _ in notified.append("?")
                }
            }
            try device.kill()
            await simulation.run(for: .seconds(2))
            #expect(notified.count == 2)
        }
    }
}
