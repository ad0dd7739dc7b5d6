import Foundation
import SimulatedApp
import Testing
import WilddogCore
import WilddogSync

@MainActor
@Suite struct AppTests {
    @Test func appsAreFoundByTheirNamesInTheirProcess() async throws {
        try await withSimulation("wilddog") { simulation in
            let device = simulation.device("phone")
            try device.launch {
                #expect(WDGApp.defaultApp() == nil)
                #expect(WDGApp.allApps() == nil)
                WDGApp.configure(with: WDGOptions(syncURL: "https://one.wilddogio.com"))
                WDGApp.configure(withName: "other", options: WDGOptions(syncURL: "https://two.wilddogio.com"))
                #expect(WDGApp.defaultApp()?.name == "__WDGAPP_DEFAULT")
                #expect(WDGApp.defaultApp()?.options.syncURL == "https://one.wilddogio.com")
                let other = try #require(WDGApp(named: "other"))
                #expect(WDGApp(named: "other") === other)
                #expect(WDGApp(named: "nobody") == nil)
                #expect(WDGApp.allApps()?.count == 2)
                #expect(WDGSync.sync(app: other) === WDGSync.sync(app: other))
                #expect(WDGSync.sync(app: other) !== WDGSync.sync())
                #expect(WDGSync.sync(app: other).app === other)
                #expect(WDGSync.sync(app: other).reference(withPath: "a").url == "https://two.wilddogio.com/a")
                other.delete { #expect($0) }
                #expect(WDGApp(named: "other") == nil)
            }
            await simulation.runDueEntries()
            try device.kill()
            try device.launch { #expect(WDGApp.defaultApp() == nil) }
        }
    }

    @Test func referencesLeadFromPathToPath() async throws {
        var rules: [String] = []
        try await withSimulation("wilddog", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform {
                let place = app.child("/users//joe/")
                #expect(place.url == "https://samplechat.wilddogio.com/users/joe")
                #expect(place.key == "joe")
                #expect(place.parent?.key == "users")
                #expect(place.root.url == "https://samplechat.wilddogio.com/")
                #expect(place.root.parent == nil)
                #expect(place.root.key == "")
                #expect(place.child("a/b").url == place.url + "/a/b")
                #expect(place.child("").url == place.url)
                #expect(place.queryOrderedByKey().ref.url == place.url)
                #expect(place.sync === WDGSync.sync())
                #expect("\(place)" == place.url)
                let address = "https://samplechat.wilddogio.com/users/%E5%B0%8F%E7%8E%8B"
                #expect(WDGSync.sync().reference(fromURL: address).key == "小王")
                #expect(WDGSync.sync().reference(fromURL: address).url == address)
                _ = WDGSync.sync().reference(fromURL: "https://elsewhere.wilddogio.com/x")
            }
        }
        #expect(rules == ["SYNC-1"])
    }

    @Test func useWithoutAnAppIsAViolation() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("wilddog", report: { violations = $0.violations }) { simulation in
            try simulation.device("phone").launch { _ = WDGSync.sync() }
        }
        #expect(violations.map(\.text) == ["WDGSync.sync() before WDGApp.configure(with:)"])
        #expect(WDGSync.sdkVersion() == "2.3.11")
    }
}
