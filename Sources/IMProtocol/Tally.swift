import IMTree

/// What one side of a link has said without being asked: how much, and a check sum of it.
///
/// A link keeps the order, so that whatever was said before a heartbeat is here before it. Who finds in a heartbeat
/// another tally than its own has missed something, or got it twice or late, and has the rest of it set right (C-15).
/// The sum is made of kinds and numbers, never of names or texts: a recording under pseudonyms comes to the same one.
public struct Tally: Hashable, Sendable, Codable {
    /// How many frames were counted; wraps around.
    public private(set) var count: UInt32
    /// The sum over what they were, in their order.
    public private(set) var check: UInt32

    /// A tally as the other side said it; without arguments, of nothing said.
    public init(count: UInt32 = 0, check: UInt32 = 0) {
        self.count = count
        self.check = check
    }

    /// Counts a frame, where it is one that nothing else makes sure of. Requests are answered or asked again, notices
    /// of a login's end end the link if they are not confirmed, and of what is said in a channel nobody keeps account
    /// (RTM-8). Every frame that names members of a channel counts, also an answer: one that comes late would bring back
    /// the members of before (RTM-4).
    /// Answers about the tree count, because one that comes late would bring back what was there before.
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
        // What was asked for is asked for again.
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
    /// Whether the server sends the tally of the frames before it along. A client that has not received all of these does
    /// not handle the frame: it would tell its app of the later event first (C-15).
    public var isHandledInOrder: Bool {
        switch self {
        case .message(let message): !message.isToChannel
        case .operated, .devicesChanged, .presence, .syncDone: true
        default: false
        }
    }

    /// Whether it says that its sender is there, and nothing else. No tally counts these, and nearly every frame is one:
    /// who asks before need not reach for the tally.
    public var isHeartbeat: Bool {
        switch self {
        case .heartbeat, .heartbeatAck: true
        default: false
        }
    }
}

extension TreeNode {
    /// Much the same for equal values, and seldom for others; that of an object does not depend on the order of its
    /// children.
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
    /// As in the FNV-1a hash, by words.
    fileprivate mutating func fold(_ word: UInt32) { self = (self ^ word) &* 0x0100_0193 }
}
