import Foundation
import IMWorld
import SansIO

// Time and expectations. These two alone let time pass.

extension Shell {
    /// What an expectation without `within` waits for in the live world, unless `set expect.timeout` says otherwise.
    static let liveTimeoutDefault = Interval.seconds(5)
    /// What is waited for beyond `within` in the live world, in real time: there, sockets and a busy machine take time
    /// of their own, which is not the story's.
    static let liveGrace = Interval.seconds(2)

    func wait(_ interval: Interval) throws {
        guard isInteractive && !world.isSimulated else {
            _ = try world.advance(by: interval) { _ in false }
            return
        }
        // In slices, so that ^C is heard.
        let slice = Interval(nanoseconds: Int64(100_000_000 * plan.timeScale))
        var left = interval
        while left > .zero {
            if interruption.take() { throw CommandFailure("interrupted") }
            _ = try world.advance(by: min(left, slice)) { _ in false }
            left = left - slice
        }
    }

    func expect(_ clause: ExpectClause, client name: String?) throws {
        expectationCount += 1
        if case .output(let text) = clause.pattern { return try expectOutput(text, clause) }
        let node = name == WorldCore.serverName ? WorldCore.serverName : try nodeName(name)
        if clause.isNegative {
            try expectNone(clause, node: node)
        } else {
            try expectMatch(clause, node: node)
        }
    }

    private func nodeName(_ name: String?) throws -> String {
        let id = try client(name)
        return try world.perform { $0[id].name }
    }

    private func expectMatch(_ clause: ExpectClause, node: String) throws {
        let start = cursors[node] ?? 0
        let log = log
        let isThere: @Sendable (WorldCore) -> Bool = { core in
            log.firstMatch(of: clause, node: node, from: start) != nil || Shell.holdsNow(clause, node: node, core)
        }
        let limit = clause.within ?? settings.expectTimeout ?? (world.isSimulated ? .zero : Self.liveTimeoutDefault)
        let grace =
            world.isSimulated
            ? .zero : Interval(nanoseconds: Int64(Double(Self.liveGrace.nanoseconds) * plan.timeScale))
        if try world.advance(by: limit + grace, until: isThere) {
            let found = try world.perform { _ in log.firstMatch(of: clause, node: node, from: start) }
            guard let found else { return }
            let event = try world.perform { _ in log.entries[found].observed }
            cursors[node] = found + 1
            for (key, value) in clause.captures(from: event) { variables[key] = value }
            return
        }
        let seen = try world.perform { _ in log.entries.dropFirst(start).filter { $0.node == node }.map(\.observed) }
        throw CommandFailure(clause.explain(nearest: seen))
    }

    /// A state that was reached before the last expectation still holds when nothing has changed since.
    private static func holdsNow(_ clause: ExpectClause, node: String, _ core: WorldCore) -> Bool {
        guard case .state(let name) = clause.pattern, clause.fields.isEmpty, clause.captureName == nil,
            let id = core.node(named: node), let client = core[id].client
        else { return false }
        return client.state.name == name
    }

    private func expectNone(_ clause: ExpectClause, node: String) throws {
        let log = log
        let start = try world.perform { _ in log.entries.count }
        let came = try world.advance(by: clause.duration ?? .zero) { _ in
            log.firstMatch(of: clause, node: node, from: start) != nil
        }
        guard came else { return }
        let seen = try world.perform { _ -> [ObservedEvent] in
            log.firstMatch(of: clause, node: node, from: start).map { [log.entries[$0].observed] } ?? []
        }
        throw CommandFailure(clause.explain(nearest: seen))
    }

    private func expectOutput(_ text: String, _ clause: ExpectClause) throws {
        let rest = printed.dropFirst(printedCursor)
        if let index = rest.firstIndex(where: { clause.matches(ObservedEvent(.output, $0)) }) {
            printedCursor = index + 1
            return
        }
        throw CommandFailure(clause.explain(nearest: rest.map { ObservedEvent(.output, $0) }))
    }
}
