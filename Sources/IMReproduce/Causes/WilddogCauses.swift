import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// The causes for Wilddog Sync. Values at `.info/connected` show the state of the connection. Other values show writes
/// of other clients.
struct WilddogCauses: VendorCauses {
    let profile = "wilddog"
    var times = ClientTimes(WilddogDialect())

    private static let connected = ".info/connected"

    func meaning(of line: AppLine) -> LineMeaning {
        guard line.kind == .callback, line.name == "valueChanged" else { return .other }
        if line["path"] == Self.connected { return line["value"] == "true" ? .online : .lost }
        return line["path"]?.hasPrefix(".info") == true ? .other : .value
    }

    func delays(in lines: [AppLine]) -> [Milliseconds] {
        var found: [Milliseconds] = []
        for (index, line) in lines.enumerated() where line.kind == .call {
            let later = lines[(index + 1)...]
            if line.name == "on-disconnect" || line["verb"] == "set" {
                // The write and its result are two one-way delays apart.
                guard let end = later.first(where: { $0.kind == .result && $0.name == line.name }) else { continue }
                found.append((end.time - line.time) / 2)
            } else if line["path"] == Self.connected {
                // The first connection opens four one-way delays after the first listener.
                guard let up = later.first(where: { meaning(of: $0) == .online }) else { continue }
                found.append((up.time - line.time) / 4)
            }
        }
        guard found.isEmpty else { return found }
        // If the log has no such lines, the first listener is used: its connection opens after four one-way delays, and
        // the first value needs two more.
        guard let start = lines.firstIndex(where: { $0.kind == .start }),
            let call = lines[start...].first(where: { $0["verb"] == "on" && $0["path"] != Self.connected }),
            let value = lines[start...].first(where: { meaning(of: $0) == .value && $0["path"] == call["path"] })
        else { return [] }
        return [(value.time - call.time) / 6]
    }

    func roots(_ app: ObservedApp) -> [Move] {
        let first = app.lines[0].time
        func listeners(_ time: Milliseconds) -> [HiddenEvent] {
            [Self.connected, "scores"].map {
                HiddenEvent(time, .call(AppCall("sync", [("verb", "on"), ("path", $0)])))
            }
        }
        return [
            Move(0, listeners(first - 60_000)), Move(0.5, listeners(first - 4 * app.latency)),
            Move(0.5, [listeners(first - 5)[0]]), Move(0.6, listeners(first - 5)),
        ]
    }

    func moves(_ point: BranchPoint) -> [Move] {
        if let moves = readMoves(point) { return moves + missingListener(point) + point.hiddenRecovery() }
        switch point.meaning {
        case .lost: return point.lossMoves() + missingListener(point)
        case .online: return point.recoveryMoves() + missingListener(point)
        case .value: return writeMoves(point) + missingListener(point) + point.hiddenRecovery()
        default: return missingListener(point) + point.hiddenRecovery()
        }
    }

    private func missingListener(_ point: BranchPoint) -> [Move] {
        var moves: [Move] = []
        if point.line.kind == .result, point.line.name == "on-disconnect" || point.line.name == "sync" {
            let listener = AppCall("sync", [("verb", "on"), ("path", "scores")])
            if point.line.name == "sync" {
                let onConnected = AppCall("sync", [("verb", "on"), ("path", Self.connected)])
                moves.append(Move(0.9, [HiddenEvent(point.time - 5, .call(listener))]))
                moves.append(Move(1.0, [HiddenEvent(point.time - 5, .call(onConnected))]))
                let setCall = AppCall("sync", [("verb", "set"), ("path", "scores/me"), ("value", "1")])
                moves.append(Move(1.2, [HiddenEvent(point.time - 2 * point.latency, .call(setCall))]))
            }
            // The log does not show the missing call. Other calls with the same name have plausible arguments.
            var calls: [AppCall] = []
            for call in point.lines where call.kind == .call && call.name == point.line.name {
                let call = AppCall(call)
                guard !calls.contains(call), calls.count < 3 else { continue }
                calls.append(call)
                moves.append(Move(0.9, [HiddenEvent(point.time - 2 * point.latency, .call(call))]))
            }
        }
        guard let path = point.line["path"] else { return moves }
        let call = AppCall("sync", [("verb", "on"), ("path", path)])
        if path == Self.connected, point.line["value"] == "false" {
            moves.append(Move(1.0, [HiddenEvent(point.time - 5, .call(call))]))
        } else if !point.lines[..<point.index].contains(where: { $0["path"] == path }) {
            moves.append(Move(1.0, [HiddenEvent(point.time - 4 * point.latency, .call(call))]))
        }
        return moves
    }

    /// The moves for a read whose value differs in the simulation: another client wrote the value before. Nil for a
    /// line that is not the result of a read.
    private func readMoves(_ point: BranchPoint) -> [Move]? {
        guard point.line.kind == .result, point.line.name == "sync", let value = point.line["value"],
            let call = point.lines[..<point.index].last(where: { $0.kind == .call && $0.name == "sync" }),
            call["verb"] == "get", let path = call["path"]
        else { return nil }
        let at = min(point.time - 2 * point.latency - 20, call.time - point.latency)
        let children = TreeJSON.children(value)
        if children.isEmpty { return [Move(0.3, [HiddenEvent(at, .write(path: path, value: value))])] }
        let writes = children.map { HiddenEvent(at, .write(path: "\(path)/\($0.key)", value: $0.value)) }
        return [Move(0.3 * Double(writes.count), writes)]
    }

    /// The moves for a changed value: other clients wrote the difference from the previous value.
    private func writeMoves(_ point: BranchPoint) -> [Move] {
        guard let path = point.line["path"], let value = point.line["value"] else { return [] }
        let before = point.match.simulated.last { $0.time < point.time + 5 && $0["path"] == path }?["value"] ?? "null"
        let (old, new) = (TreeJSON.children(before), TreeJSON.children(value))
        var writes: [(path: String, value: String)] = []
        for child in new where !old.contains(where: { $0.key == child.key && $0.value == child.value }) {
            writes.append(("\(path)/\(child.key)", child.value))
        }
        for child in old where !new.contains(where: { $0.key == child.key }) {
            writes.append(("\(path)/\(child.key)", "null"))
        }
        guard !writes.isEmpty else { return [] }
        let at = point.time - point.latency - 10
        let last = writes.removeLast()
        let early = writes.enumerated().map {
            HiddenEvent(
                at - 300 - 50 * Milliseconds(writes.count - $0.offset),
                .write(path: $0.element.path, value: $0.element.value))
        }
        var moves = [
            Move(
                0.3 + 0.3 * Double(writes.count), early + [HiddenEvent(at, .write(path: last.path, value: last.value))])
        ]
        // Another move: the app itself wrote the value.
        if last.path.hasSuffix("/me") {
            let call = AppCall("sync", [("verb", "set"), ("path", last.path), ("value", last.value)])
            moves.append(Move(0.9, [HiddenEvent(point.time - 5, .call(call))]))
        }
        let online = point.onlineSince ?? 0
        if point.time - online < 400 + 3 * point.latency,
            let lost = point.lines[..<point.index].last(where: { $0.time < online && meaning(of: $0) == .lost })
        {
            let middle = (lost.time + online) / 2
            moves.insert(
                Move(0.3, moves[0].events.map { HiddenEvent(middle, $0.action) }), at: 0)
        }
        return moves
    }
}
