import IMTree

/// The number and a checksum of the counted frames that one side of a connection has sent. ``add(_:)`` decides which
/// frames are counted.
///
/// A connection keeps the order of frames, so all frames that were sent before a heartbeat arrive before it. The
/// receiver compares the checksum in a heartbeat with the checksum of the frames that it has received. If they differ,
/// frames were lost, duplicated or delayed, and the client requests the current state (C-15). The checksum depends on
/// kinds and numbers only, not on names or texts, so redaction does not change it.
public struct FrameChecksum: Hashable, Sendable, Codable {
    /// The number of counted frames. It wraps around.
    public private(set) var count: UInt32
    /// The checksum of the counted frames, in their order.
    public private(set) var check: UInt32

    /// Creates the checksum that a frame contains; by default the checksum of no frames.
    public init(count: UInt32 = 0, check: UInt32 = 0) {
        self.count = count
        self.check = check
    }

    /// Counts a frame if nothing else ensures that it arrives. Requests are not counted, because they are answered or
    /// sent again. Notices about the end of a login are not counted, because an unconfirmed one ends the connection.
    /// Messages to a channel are not counted, because their loss is allowed (RTM-8). An answer is counted if it lists
    /// the members of a channel or has a value of the tree, because a late answer would restore earlier members (RTM-4)
    /// or an earlier value.
    public mutating func add(_ frame: Frame) {
        switch frame.body {
        case .message(let message) where !message.isToChannel: add(1, message.number)
        case .operated(let operation): add(2, operation.number)
        case .devicesChanged(let change, let devices): add(3, UInt64(change.rawValue), UInt64(devices.count))
        case .presence(_, let change): add(4, UInt64(change.rawValue))
        case .treeData(let data): add(5, UInt64(data.change.mark), UInt64(frame.page))
        case .treeCancelled(let listen, let status): add(12, listen, UInt64(status.rawValue))
        case .treeAck(let status, let value): add(6, UInt64(status.rawValue), UInt64(value.mark), UInt64(frame.request))
        case .syncPhase(let phase, _, let items): add(7, UInt64(phase.rawValue), UInt64(items.count))
        case .messageAck(_, let number): add(8, number)
        case .operatedAck(_, let number): add(9, number)
        case .syncAck(let phase, let first, let last): add(10, UInt64(phase.rawValue), first, last)
        // Changes with a request number are not counted, because the client requests them again if they are lost.
        case .changes(let page) where frame.request == 0: add(11, page.after, page.changes.last?.number ?? 0)
        case .memberChanged(_, _, let joined): add(13, joined ? 1 : 0)
        case .joinAck(let status, _, let members): add(14, UInt64(status.rawValue), UInt64(members.count))
        case .answer(let status, let rows): add(15, UInt64(status.rawValue), UInt64(rows.count))
        case .login, .loginAck, .logout, .logoutAck, .heartbeat, .heartbeatAck, .kicked, .kickedAck, .kick, .kickAck,
            .sync, .syncDone, .renewToken, .renewTokenAck, .tokenNotice, .send, .sendAck, .message, .join, .leave,
            .leaveAck, .goodbye, .accountCall, .accountCallAck, .operation, .operationAck, .setAttributes,
            .setAttributesAck, .ask, .watch, .watchAck, .tree, .settle, .settleAck, .resync, .resyncAck, .fetchChanges,
            .changes, .change, .changeAck:
            break
        }
    }

    private mutating func add(_ marks: UInt64...) {
        count &+= 1
        for mark in marks {
            check.fold(UInt32(truncatingIfNeeded: mark))
            check.fold(UInt32(truncatingIfNeeded: mark >> 32))
        }
    }
}

extension FrameBody {
    /// True if the server adds the checksum of the earlier frames. A client that has not received all earlier frames
    /// ignores this one. Else it would notify its app of a later event before an earlier one (C-15).
    public var isHandledInOrder: Bool {
        switch self {
        case .message(let message): !message.isToChannel
        case .operated, .devicesChanged, .presence, .syncDone: true
        default: false
        }
    }

    /// True for a heartbeat and its answer. Nearly every frame is one of these, and ``FrameChecksum`` does not count
    /// them, so a caller that checks this first saves time.
    public var isHeartbeat: Bool {
        switch self {
        case .heartbeat, .heartbeatAck: true
        default: false
        }
    }
}

extension TreeNode {
    /// A hash of the value. Different values nearly always have different hashes. The hash of a node with children does
    /// not depend on their order.
    fileprivate var mark: UInt32 {
        var mark: UInt32 = priority?.mark ?? 0
        if let leaf {
            mark.fold(leaf.mark)
        } else {
            mark.fold(children.reduce(isEmpty ? 1 : 5) { $0 &+ $1.value.mark })
        }
        return mark
    }
}

extension TreeLeaf {
    fileprivate var mark: UInt32 {
        var mark: UInt32 = 0
        switch self {
        case .bool(let isTrue): mark.fold(isTrue ? 2 : 3)
        case .number(let number):
            let bits = number.bitPattern
            mark.fold(UInt32(truncatingIfNeeded: bits))
            mark.fold(UInt32(truncatingIfNeeded: bits >> 32))
        case .text: mark.fold(4)
        case .serverTimestamp: mark.fold(6)
        }
        return mark
    }
}

extension TreeWrite.Change {
    fileprivate var mark: UInt32 {
        switch self {
        case .set(let node): node.mark
        case .update(let parts): parts.reduce(7) { $0 &+ $1.node.mark }
        }
    }
}

extension UInt32 {
    /// A step of the FNV-1a hash, applied to a whole word instead of a byte.
    fileprivate mutating func fold(_ word: UInt32) { self = (self ^ word) &* 0x0100_0193 }
}
