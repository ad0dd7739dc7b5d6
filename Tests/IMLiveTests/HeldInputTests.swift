import IMClient
import IMProtocol
import IMSession
import SansIO
import TestSupport
import Testing

@testable import IMLive
@testable import IMSimulation

/// Inputs that arrive from sockets while the world's time is stopped.
@Suite struct HeldInputTests {
    @Test func `reading starts again if the inputs that stopped it were dropped`() async throws {
        try await onThread {
            let harness = try KeptHarness("nim")
            #expect(try harness.logIn("phone", as: "alice") == .ok)
            #expect(try harness.logIn("pad", as: "bob") == .ok)
            try harness.world.perform { core in
                let network = try #require(core.network as? SocketNetwork)
                let phone = try #require(core.node(named: "phone"))
                for _ in 0..<SocketNetwork.heldCountMax {
                    network.deliverInput(.linkOpened(ConnectionID(99)), to: phone, cause: .none)
                }
                // The end of the process drops its inputs.
                try core.closeClient(phone)
            }
            try harness.runCommand("pad", .send(to: "alice", text: "one"))
            // The server has received the end of the phone's connection, or it has not.
            let status = try harness.status("pad")
            #expect(status == .stored || status == .ok)
        }
    }
}
