import AppStandIns
import Combine
import Testing
import VirtualTime

@Suite struct SampleLoginTests {
    @Test func anAppsFileRunsUnchangedInVirtualTime() async throws {
        let device = DeviceStorage()
        try await withVirtualTime { time in
            let process = time.makeProcess()
            device.attach(to: process, in: time)
            let app = time.run(in: process) { SampleLogin() }
            var states: [String] = []
            let subscription = app.$state.receive(on: SimulatedDispatchQueue.main).sink { states.append($0.rawValue) }
            time.run(in: process) {
                app.start()
                app.login(user: "ann", token: "secret")
            }
            await time.run(for: .seconds(100))
            #expect(app.loginDate?.timeIntervalSince1970 == 1_767_225_601.5)
            #expect(app.heartbeats == 3)
            time.run(in: process) { #expect(app.waitForToken() == "secret") }

            device.network.connect(by: nil)
            await time.run(for: .seconds(10))
            #expect(app.state == .waiting)
            device.network.connect(by: .cellular)
            await time.run(for: .seconds(3))
            #expect(states == ["loggedOut", "loggingIn", "loggedIn", "waiting", "loggedIn"])
            time.run(in: process) { app.logout() }
            subscription.cancel()
        }
        #expect(device.log.map(\.text) == ["login of ann with secret"])
    }
}
