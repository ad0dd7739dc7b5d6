import Foundation
import IMClient
import IMLive
import IMProfiles
import IMSimulation
import SansIO
import Testing

/// A failure to store local data is reported once, and the world continues.
@Suite struct StoreFailureTests {
    @Test func aDeletedFolderIsReportedOnce() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let dialect = NIMDialect()
        let world = try SimulatedWorld(
            WorldConfiguration(
                profile: dialect.profile, clientPolicy: dialect.clientPolicy, serverPolicy: dialect.serverPolicy,
                seed: 1, epochNanoseconds: 0),
            recording: nil, store: try SQLiteClientStore(path: folder.path + "/clients.sqlite"), summarize: { _ in "" })
        let phone = try world.core.addClient("phone", platform: .ios)
        // File permissions do not stop a superuser from writing; a missing folder does.
        try FileManager.default.removeItem(at: folder)
        var failures: [String] = []
        world.core.onStoreFailure = { failures.append($0) }
        for user in ["ann", "ben"] {
            try world.core.command(
                .login(user: user, credential: world.core.vault.reference(for: user), mode: .manual), client: phone)
            _ = world.run(until: world.core.now + .seconds(1)) { _ in false }
            #expect(world.core[phone].client?.state == .online)
            try world.core.command(.logout(keepsPush: false), client: phone)
            _ = world.run(until: world.core.now + .seconds(1)) { _ in false }
        }
        #expect(failures.count == 1)
        #expect(failures.first?.contains("the store cannot be used") == true)
        // A later query gets the error too.
        world.core.onStoreFailure = { failures.append($0) }
        #expect(failures.count == 2)
    }
}
