import AppStandIns
import Combine
import Dispatch
import Testing
import VirtualTime
import os

@Suite struct SystemModuleTests {
    @Test func publishersEmitInOrder() async throws {
        try await withVirtualTime { time in
            let numbers = PassthroughSubject<Int, Never>()
            let current = CurrentValueSubject<String, Never>("a")
            var seen: [String] = []
            var cancellables: Set<AnyCancellable> = []
            numbers.filter { $0 != 2 }.removeDuplicates().map { "n\($0)" }.eraseToAnyPublisher()
                .sink { seen.append($0) }.store(in: &cancellables)
            current.dropFirst().sink { seen.append($0) }.store(in: &cancellables)
            for number in [1, 1, 2, 1, 3] { numbers.send(number) }
            current.value = "b"
            #expect(seen == ["n1", "n3", "b"])
            current.receive(on: DispatchQueue.main).sink { seen.append("main \($0)") }.store(in: &cancellables)
            #expect(seen.count == 3)
            await time.runDueEntries()
            #expect(seen.last == "main b")
            cancellables.removeAll()
            numbers.send(9)
            #expect(seen.count == 4)
        }
    }

    @Test func publishedPropertiesAnnounceTheirNewValueFirst() {
        final class Model: ObservableObject {
            @Published var count = 0
            var copy = 0
        }
        let model = Model()
        var seen: [String] = []
        let changes = model.objectWillChange.sink { seen.append("will change from \(model.count)") }
        let values = model.$count.sink { seen.append("\($0) while \(model.count)") }
        let copies = model.$count.assign(to: \.copy, on: model)
        model.count = 1
        #expect(seen == ["0 while 0", "will change from 0", "1 while 0"])
        #expect(model.copy == 1)
        withExtendedLifetime((changes, values, copies)) {}
    }

    @Test func loggersWriteToTheDevicesLog() async throws {
        try await withVirtualTime { time in
            let logger = Logger(subsystem: "app", category: "login")
            let name: String? = nil
            await time.run(for: .seconds(1))
            logger.error("user \(42, privacy: .private) \(name, privacy: .public) \(1.5, format: .fixed(precision: 1))")
            os_log("%{public}@ has %d%%", log: .default, type: .info, "ann", 5)
            let lines = DeviceStorage.current.log
            #expect(lines.map(\.text) == ["user 42 nil 1.5", "ann has 5%"])
            #expect(lines.map(\.level) == ["error", "info"])
            #expect(lines.first?.time == 1_000_000_000)
            let lock = OSAllocatedUnfairLock(initialState: 1)
            #expect(lock.withLock { $0 + 1 } == 2)
        }
    }
}
