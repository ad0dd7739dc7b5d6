import AppStandIns
import Foundation
import Testing
import VirtualTime

@Suite struct DeviceTests {
    @Test func aDevicesStorageSurvivesItsProcesses() async throws {
        let device = DeviceStorage()
        try await withVirtualTime { time in
            let first = time.makeProcess()
            device.attach(to: first, in: time)
            time.run(in: first) {
                SimulatedUserDefaults.standard.register(defaults: ["limit": 3])
                #expect(SimulatedUserDefaults.standard.integer(forKey: "limit") == 3)
                SimulatedUserDefaults.standard.set(true, forKey: "isLoggedIn")
                #expect(Keychain.add(["class": "genp", "acct": "token", "v_Data": Data([1])]) == Keychain.success)
                #expect(Keychain.add(["class": "genp", "acct": "token"]) == Keychain.duplicateItem)
            }
            time.discard(process: first)
            let second = time.makeProcess()
            device.attach(to: second, in: time)
            time.run(in: second) {
                #expect(SimulatedUserDefaults.standard.bool(forKey: "isLoggedIn"))
                #expect(SimulatedUserDefaults.standard.integer(forKey: "limit") == 0)
                #expect(Keychain.update(["acct": "token"], with: ["v_Data": Data([2])]) == Keychain.success)
                #expect(Keychain.find(["acct": "token", "r_Data": true]).result as? Data == Data([2]))
                #expect(Keychain.remove(["acct": "token"]) == Keychain.success)
                #expect(Keychain.find(["acct": "token"]).status == Keychain.itemNotFound)
            }
            #expect(!SimulatedUserDefaults.standard.bool(forKey: "isLoggedIn"))
        }
    }

    @Test func notificationsStayWithinAProcess() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let name = Notification.Name("changed")
            let processes = [time.makeProcess(), time.makeProcess()]
            for process in processes {
                time.run(in: process) {
                    _ = SimulatedNotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                        log.add("\(process)")
                    }
                }
            }
            time.run(in: processes[1]) { SimulatedNotificationCenter.default.post(name: name, object: nil) }
            #expect(log.words == ["process 2"])
        }
    }

    @Test func observersForTheMainQueueAreOnTheMainThread() async throws {
        try await withVirtualTime { time in
            let log = Log()
            let name = Notification.Name("changed")
            _ = SimulatedNotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
                log.add(SimulatedThread.isMainThread ? "main" : "elsewhere")
            }
            SimulatedDispatchQueue.global().async {
                SimulatedNotificationCenter.default.post(name: name, object: nil)
                log.add("posted")
            }
            await time.runDueEntries()
            SimulatedNotificationCenter.default.post(name: name, object: nil)
            #expect(log.words == ["main", "posted", "main"])
        }
    }

    @Test func aWeakTableDropsReleasedObjects() {
        final class Listener {}
        let table = SimulatedHashTable<AnyObject>.weakObjects()
        let listener = Listener()
        table.add(listener)
        table.add(listener)
        table.add(Listener())
        #expect(table.allObjects.count == 1)
        #expect(table.contains(listener))
        table.remove(listener)
        #expect(table.count == 0)
    }
}
