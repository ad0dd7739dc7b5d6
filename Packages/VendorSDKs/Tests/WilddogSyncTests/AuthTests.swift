import Foundation
import SimulatedApp
import Testing
import Wilddog

/// Accounts, with calls as in login code.
@MainActor
@Suite struct AuthTests {
    @Test func aUserStaysSignedInUntilTheAppSignsOut() async throws {
        try await withSimulation("wilddog") { simulation in
            let phone = simulation.device("phone")
            var heard: [String] = []
            @MainActor func launch() throws {
                try phone.launch {
                    WDGApp.configure(with: WDGOptions(syncURL: "https://a.wilddogio.com"))
                    WDGAuth.auth()?.addAuthStateDidChangeListener { heard.append($1?.uid ?? "nobody") }
                }
            }
            @MainActor func signIn(_ password: String) throws {
                try phone.perform {
                    WDGAuth.auth()?.signIn(withEmail: "a@b.c", password: password) { _, error in
                        heard.append("\((error as NSError?)?.code ?? 0)")
                    }
                }
            }
            try launch()
            try signIn("one")
            await simulation.run(for: .seconds(1))
            try phone.perform { WDGAuth.auth()?.createUser(withEmail: "a@b.c", password: "one", completion: nil) }
            await simulation.run(for: .seconds(1))
            try phone.kill()
            try launch()
            await simulation.run(for: .seconds(1))
            try phone.perform { try WDGAuth.auth()?.signOut() }
            try phone.networkDown()
            try signIn("one")
            await simulation.run(for: .seconds(1))
            try phone.networkUp()
            try signIn("two")
            await simulation.run(for: .seconds(1))
            try signIn("one")
            await simulation.run(for: .seconds(1))
            #expect(
                heard == ["nobody", "22202", "a_40b_2ec", "a_40b_2ec", "nobody", "22001", "22203", "a_40b_2ec", "0"])
        }
    }
}
