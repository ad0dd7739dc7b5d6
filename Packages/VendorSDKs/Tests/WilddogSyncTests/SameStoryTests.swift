import IMSimulation
import LibraryStories
import SimulatedApp
import Testing
import WilddogSync

/// What happens to an app through the vendor's module is what happens to the same words at the shell.
@MainActor
@Suite struct SameStoryTests {
    @Test func framesCallbacksAndCodesAreTheShells() async throws {
        var reported: SimulationReport?
        try await withSimulation("wilddog", seed: 5, report: { reported = $0 }) { simulation in
            let (device, app) = try phone(isPersistent: true, in: simulation)
            try device.perform {
                app.observe(app.child(".info/connected"), .value)
                app.observe(app.child("scores").queryOrderedByValue().queryLimited(toLast: 2), .childAdded)
                app.child("scores").setValue(["ann": 1, "bob": 2, "carl": 3])
                app.child("scores/dora").setValue(4, andPriority: 7)
                app.child("scores/nobody").setPriority(1)
            }
            try simulation.script(Self.other)
            try device.perform {
                app.child("scores").updateChildValues(["ann": 9, "x/y": true])
                app.child("room").onDisconnectSetValue("gone")
                app.child("room").onDisconnectUpdateChildValues(["a": WDGServerValue.timestamp()])
                app.child("room").cancelDisconnectOperations()
                app.child("secret").keepSynced(true)
                app.child("none").runTransactionBlock { _ in .abort() }
                app.child("scores").queryOrderedByValue().queryLimited(toLast: 2).removeAllObservers()
            }
            try simulation.script("@phone net down\nwait 10s\n@phone net up\nwait 20s")
            try device.perform {
                app.child("scores").removeValue()
                WDGSync.sync().goOffline()
                WDGSync.sync().goOnline()
            }
            await simulation.run(for: .seconds(5))
        }
        let app = try ShellSession.words(of: #require(reported).session)

        let shell = try ShellSession.words(
            of: Self.shell,
            profile: "wilddog", seed: 5)
        #expect(app.count > 80)
        #expect(app.count == shell.count)
        #expect(zip(app, shell).first { $0 != $1 }.map { "\($0) instead of \($1)" } == nil)
    }

    private static let other = """
        wait 2s
        client new pad --platform ios
        @pad sync on scores --event child-changed
        wait 2s
        @pad sync set scores/carl 0
        wait 2s
        """

    private static let shell = """
        client new phone --platform ios
        @phone sync persistence on
        @phone sync on .info/connected
        @phone sync on scores --event child-added --order-by value --last 2
        @phone sync set scores '{"ann": 1, "bob": 2, "carl": 3}'
        @phone sync set scores/dora 4 --priority 7
        @phone sync priority scores/nobody 1
        \(other)
        @phone sync update scores '{"ann": 9, "x/y": true}'
        @phone on-disconnect set room gone
        @phone on-disconnect update room '{"a": {".sv": "timestamp"}}'
        @phone on-disconnect cancel room
        @phone sync keep secret on
        @phone sync transaction none abort
        @phone sync off scores
        @phone net down
        wait 10s
        @phone net up
        wait 20s
        @phone sync remove scores
        @phone go-offline
        @phone go-online
        wait 5s
        """
}
