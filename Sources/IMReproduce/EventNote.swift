import IMProtocol

// Adds notes to hidden writes and messages of other devices. Instead, the line of the log may be a repeated message or
// an old value. Similar lines of the log show this.

extension HiddenEvent {
    /// A text about another possible cause of a line; nil if no other line of the log suggests one.
    ///
    /// - Parameter index: the line's index.
    func note(for index: Int, _ app: ObservedApp, _ vendor: any VendorCauses) -> String? {
        let before = app.lines[..<index]
        switch action {
        case .write(let path, let value): return noteOfWrite(path, value, before, vendor)
        case .peerSend(let peer, let text, _):
            guard
                let same = before.last(where: { vendor.meaning(of: $0) == .message && $0.isMessage(text, from: peer) })
            else { return nil }
            let again = before.last { $0.time > same.time && vendor.meaning(of: $0) == .online }
            return "the message of line \(same.number), delivered again"
                + (again.map { " on the connection of line \($0.number)" } ?? "")
        default: return nil
        }
    }

    private func noteOfWrite(
        _ path: String, _ value: String, _ before: ArraySlice<AppLine>, _ vendor: any VendorCauses
    ) -> String? {
        let own = before.last {
            $0.kind == .call && ($0.name == "on-disconnect" || $0["verb"] == "on-disconnect") && $0["path"] == path
                && $0["value"] == value
        }
        if let own, let lost = before.last(where: { vendor.meaning(of: $0) == .lost }) {
            // The onDisconnect operation belongs to the lost connection. The server runs the operation when it ends
            // that connection, after the silence limit.
            let first = before.first {
                $0.kind == .call && $0.name == own.name && $0["path"] == path && $0["value"] == value
            }
            let line = (first ?? own).number
            if line < lost.number {
                return
                    "the on-disconnect operation of line \(line), which the server runs when it drops the connection "
                    + "that was lost in line \(lost.number)"
            }
        }
        let known = before.filter {
            ($0.kind != .call || $0["verb"] == "set") && $0["path"] == path && $0["value"] != nil
        }
        guard let last = known.last, last["value"] != value, let old = known.last(where: { $0["value"] == value })
        else {
            return nil
        }
        return "an older value that is read again: that of line \(old.number)"
    }
}

extension AppLine {
    fileprivate func isMessage(_ text: String, from peer: String) -> Bool {
        guard self["text"] == text else { return false }
        return ["from", "fromPeer", "fromMember", "fromUserID"].contains { self[$0] == peer }
    }
}
