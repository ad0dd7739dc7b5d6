import IMProtocol
import IMTree
import TestSupport
import Testing

/// Tests of the frame checksum. Two sides have the same checksum exactly if they have the same frames in the same order
/// (C-15).
@Suite struct FrameChecksumTests {
    private func checksum(_ bodies: FrameBody...) -> FrameChecksum {
        var checksum = FrameChecksum()
        for body in bodies { checksum.add(Frame(body)) }
        return checksum
    }

    private func message(_ number: UInt64, _ text: String = "hi", from: String = "bob") -> FrameBody {
        .message(ChatMessage(id: "m", from: from, to: "alice", text: text, number: number))
    }

    @Test("C-15: lost, repeated and late frames change the checksum")
    func differs() {
        let pad = Device(id: "pad", platform: .ios)
        let (login, logout) = (FrameBody.devicesChanged(.login, [pad]), FrameBody.devicesChanged(.logout, [pad]))
        let (online, offline) = (FrameBody.presence(user: "bob", .online), FrameBody.presence(user: "bob", .offline))
        let both = checksum(login, logout)
        for other in [
            checksum(login), checksum(logout), checksum(logout, login), checksum(login, login),
            checksum(login, logout, logout),
            checksum(online, offline), FrameChecksum(),
        ] {
            #expect(other != both)
        }
        #expect(checksum(message(1), message(2)) != checksum(message(1), message(1)))
        #expect(checksum(message(1)) != checksum(message(1 << 32)))
        // All checksums of different values are different.
        let values = [TreeNode.number(1), .number(2), .bool(true), .null, .text("x")]
        let checksums = values.map { checksum(.treeData(TreeData(listen: 1, path: "a", .set($0)))) }
        #expect(Set(checksums).count == values.count)
    }

    @Test("C-15: names and texts do not count, so that a redacted recording has the same checksums")
    func ignoresNames() {
        #expect(checksum(message(1)) == checksum(message(1, "ho", from: "carol")))
        func tree(_ first: String, _ second: String) -> FrameBody {
            .treeData(TreeData(listen: 1, path: first, .set(.children([(first, .text(first)), (second, .number(7))]))))
        }
        #expect(checksum(tree("a", "b")) == checksum(tree("z", "y")))
    }

    @Test("C-15: requests, ends of a login and channel messages do not count")
    func isNotCounted() {
        let channelMessage = ChatMessage(id: "m", to: "lobby", text: "hi", isToChannel: true, number: 1)
        let others: [FrameBody] = [
            .heartbeat, .heartbeatAck, .resync, .resyncAck([]), .kicked(KickNotice(reason: .server, epoch: 1)),
            .message(channelMessage), .goodbye(.shutdown, detail: ""),
        ]
        for body in others { #expect(checksum(body) == FrameChecksum(), "\(body.name)") }
    }
}
