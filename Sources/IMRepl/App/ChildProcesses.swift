import Foundation
import Synchronization

/// The running child processes. They end with the program, also if a signal ends it.
///
/// This program must end them itself, because no signal of the terminal reaches them: a child of Foundation's `Process`
/// has a process group of its own, and so has the test runner that Swift starts.
enum ChildProcesses {
    private struct State {
        var running: Set<Int32> = []
        var isRegistered = false
    }

    private static let state = Mutex(State())

    static func add(_ process: Int32) {
        let isFirst = state.withLock { state in
            defer { state.isRegistered = true }
            state.running.insert(process)
            return !state.isRegistered
        }
        if isFirst { Signals.beforeEnd { endAll() } }
    }

    static func remove(_ process: Int32) { state.withLock { _ = $0.running.remove(process) } }

    private static func endAll() {
        let processes = state.withLock { $0.running.sorted() }
        // Finds the descendants before any process ends: a process whose parent has ended gets another parent.
        let all = processes + descendants(of: processes)
        for process in processes { kill(-process, SIGTERM) }
        for process in all { kill(process, SIGTERM) }
    }

    /// All descendants of processes; none on systems without `/proc`.
    private static func descendants(of processes: [Int32]) -> [Int32] {
        var children: [Int32: [Int32]] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let process = Int32(name), let data = FileManager.default.contents(atPath: "/proc/\(name)/stat")
            else { continue }
            // The second field is the name in brackets, which may contain anything; the fourth is the parent.
            let text = String(decoding: data, as: UTF8.self)
            guard let end = text.lastIndex(of: ")") else { continue }
            let fields = text[text.index(after: end)...].split(separator: " ")
            if fields.count > 1, let parent = Int32(fields[1]) { children[parent, default: []].append(process) }
        }
        var found: [Int32] = []
        var waiting = processes
        while let next = waiting.popLast() {
            found += children[next] ?? []
            waiting += children[next] ?? []
        }
        return found.sorted()
    }
}
