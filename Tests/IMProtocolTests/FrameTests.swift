import IMTree
import SansIO
import TestSupport
import Testing

@testable import IMProtocol

/// One frame of every kind. Every field has another value than its default.
let sampleBodies: [FrameBody] = {
    let phone = Device(id: "phone-1", platform: .ios, name: "Anna's phone", osType: 7, ext: "ext")
    let pad = Device(id: "pad-1", platform: .android)
    let message = ChatMessage(
        id: "m-1", from: "alice", to: "bob", text: "hi\nthere", isToChannel: true, isToGroup: true, number: .max)
    func login(_ mode: LoginMode, _ credential: Credential) -> FrameBody {
        .login(
            LoginRequest(
                application: "nim", user: "alice", device: phone, mode: mode, epoch: .max, credential: credential,
                instance: .max, userName: "Alice Green"))
    }
    let verdict = CredentialVerdict(
        .expired, user: "alice", expiresAtMilliseconds: -1, issuedAtMilliseconds: .min, origin: .max)
    return [
        login(.manual, .reference("token-1")), login(.resume, .secret("s3cret")), login(.forced, .verdict(verdict)),
        .loginAck(
            LoginReply(
                .ok, epoch: 3, serverTimeMilliseconds: .max, otherDevices: [phone, pad], expiresAtMilliseconds: .min,
                wasGone: true, issuedAtMilliseconds: -1)),
        .logout(keepsPush: true), .logoutAck(.serverError), .heartbeat, .heartbeatAck,
        .kicked(KickNotice(reason: .otherLogin, epoch: 4, by: pad)), .kicked(KickNotice(reason: .banned, epoch: 5)),
        .kickedAck(epoch: 4), .kick(device: "pad-1"), .kickAck(.notFound), .sync,
        .syncPhase(.roamingMessages, count: 17), .syncDone, .devicesChanged(.logout, [pad]),
        .renewToken(.reference("token-2")), .renewTokenAck(.credentialExpired),
        .tokenNotice(expired: true, remainingMilliseconds: 30_000), .send(message), .sendAck(.stored, id: "m-1"),
        .message(message), .messageAck(id: "m-1"), .join(channel: "room"),
        .joinAck(.ok, channel: "room", members: ["alice", "bob"]), .leave(channel: "room"),
        .leaveAck(.notFound, channel: "room"), .memberChanged(channel: "room", user: "bob", joined: true),
        .goodbye(.shutdown, detail: "maintenance"),
        .syncPhase(
            .groups, count: 2, items: [SyncItem(id: "g-1", text: "one", number: .max), SyncItem(id: "g-2", text: "")]),
        .renewTokenAck(.ok, expiresAtMilliseconds: -1, issuedAtMilliseconds: .min), .accountCallAck(.ok, [phone, pad]),
        .operation(operation), .operationAck(.invalidArgument), .operated(operation), .operatedAck(id: "op-1"),
        .setAttributes(channel: "room", fields), .setAttributesAck(.notFound),
        .answer(.ok, [AnswerRow(fields: fields), AnswerRow([])]), .watch(user: "bob", isOn: true),
        .watchAck(.limitExceeded), .presence(user: "bob", .logout), .treeAck(.forbidden, tree),
        .fetchChanges(after: .max), .changes(page), .change(page.changes[0]), .changeAck(.forbidden),
        .treeData(TreeData(listen: 3, path: "a/b", .set(tree))),
        .treeData(TreeData(listen: .max, path: "", .update(parts))), .treeCancelled(listen: .max, .forbidden),
        .messageAck(id: "m-1", number: .max),
        .operatedAck(id: "op-1", number: 7),
        .syncAck(.groups, first: 1, last: .max),
        .settle(SubscriptionSnapshot(channels: ["room"], watched: ["bob", "carol"], attributes: fields)),
        .settle(SubscriptionSnapshot(attributes: [])), .settle(SubscriptionSnapshot(channels: ["room"])),
        .settleAck(channels: ["room"], watched: ["bob"]), .resync, .resyncAck([phone, pad]),
    ] + calls.map { .accountCall($0) } + questions.map { .ask($0) } + treeRequests.map { .tree($0) }
}()

let sampleChecksums = [
    FrameChecksum(count: 1, check: 1), FrameChecksum(count: 300, check: .max), FrameChecksum(count: .max, check: 5),
    FrameChecksum(count: 0, check: 7),
    FrameChecksum(count: 7, check: 0), FrameChecksum(count: 1 << 27, check: 1 << 31),
]

private let page = ChangePage(
    after: 3, changes: [ChangeRecord(number: 4, kind: .message, fields: fields)], isLast: true)
private let operation = DeviceOperation(
    id: "op-1", kind: .conversationDelete, target: "bob", ext: "why", device: "pad-1", isOfGroup: true, number: 9)
private let fields = [AnswerField(name: "mood", value: "fine"), AnswerField(name: "", value: "")]
private let calls: [AccountCall] = [.listDevices, .kick(device: "pad-1"), .kickAll].map {
    AccountCall(application: "agora-chat", user: "alice", credential: .reference("token-1"), action: $0)
}
private let questions: [Question] = [
    .members(channel: "room"), .attributes(user: "bob"), .attributes(user: ""), .channelAttributes(channel: "room"),
    .users(["bob", "carol"]),
]

/// A tree with every kind of leaf, a nested node, and priorities.
private let tree = TreeNode.children([
    ("a", .bool(true)), ("7", .bool(false)), ("b", .number(-1.5e300)), ("c", .text("名前\n")),
    ("h", TreeNode(.serverTimestamp)),
    ("d", TreeNode.children([("e", .bool(false)), ("f", .number(0))]).setting(.priority, to: .text("p"))),
    ("i", TreeNode(.number(1), priority: .serverTimestamp)),
])
private let parts: [TreeWrite.Part] = .parts(["a": tree, "b/c": .null, "d/.priority": .number(3)])
private let queries: [TreeQuery] = [
    .all, TreeQuery(order: .key, limit: .init(.first, 3)), TreeQuery(order: .value, limit: .init(.last, 500)),
    TreeQuery(order: .child(["a", "b"]), start: .init(.number(3)), end: .init(.text("x"), key: "k")),
    TreeQuery(start: .init(nil, key: "a"), end: .init(.bool(false))),
]

private let treeRequests: [TreeRequest] = {
    let plain: [TreeRequest] = [
        .set(path: "a", tree), .set(path: "", .null), .update(path: "a/b", parts), .get(path: "a"),
        .unlisten(path: "a", number: 1), .onDisconnect(path: "a", tree), .onDisconnect(path: "a", .null),
        .onDisconnectUpdate(path: "a", parts), .cancelOnDisconnect(path: "a"),
        .transaction(path: "a", tree, over: tree.hash), .transaction(path: "a", .null, over: TreeNode.null.hash),
        .listen(path: "a", number: .max, hash: tree.hash),
    ]
    return plain + queries.flatMap { [TreeRequest.get(path: "a", $0), .listen(path: "a", $0, number: 7)] }
}()

@Suite struct FrameTests {
    @Test("design 2: every kind of frame is encoded and decoded without a change", arguments: sampleBodies)
    func roundTrip(_ body: FrameBody) throws {
        for request in [0, 1, UInt32.max] {
            let frame = Frame(request: request, body)
            #expect(try Frame(bytes: frame.bytes()) == frame)
        }
        #expect(Frame.name(ofBytes: Frame(body).bytes()) == body.name)
    }

    @Test("design 2: the fast path for writing and reading agrees with the general one", arguments: sampleBodies)
    func plainFramesAgree(_ body: FrameBody) throws {
        let requests: [UInt32] = [0, 1, 127, 128, 300, 1 << 14, 1 << 21, 1 << 28 - 1, 1 << 28, .max]
        for request in requests {
            for checksum in [nil] + sampleChecksums {
                let frame = Frame(request: request, body, checksum: checksum)
                let bytes = frame.general()
                #expect(frame.bytes() == bytes)
                let read = try bytes.withUnsafeBytes { try Frame(bytes: $0) }
                #expect(read == frame)
                #expect(try Frame(bytes: bytes) == frame)
                #expect(Frame.name(ofBytes: bytes) == body.name)
            }
        }
    }

    @Test("design 2: the fast path reads nothing that the general one reads differently")
    func plainFramesAreExact() {
        var random = SeededRandom(seed: 7)
        let likely: [UInt8] = [0, 1, 2, 3, 8, 0x32, 0x3A, 0x62, 0x72, 0x80, 0xB0, 0xBD, 0xFF]
        let checksum = Frame(request: 5, .heartbeat, checksum: FrameChecksum(count: 300, check: 9)).bytes()
        for round in 0..<50_000 {
            var bytes = (0..<random.below(9)).map { _ in likely[Int(random.below(UInt64(likely.count)))] }
            if round % 2 == 0 {
                bytes = checksum
                for _ in 0..<2 { bytes[Int(random.below(UInt64(bytes.count)))] = likely[Int(random.below(13))] }
            }
            guard let plain = bytes.withUnsafeBytes({ Frame(plain: $0) }) else { continue }
            #expect((try? Frame(bytes: bytes)) == plain, "\(bytes)")
        }
    }

    @Test("design 2: the fast reader reads the fast writer's output, with a checksum or without")
    func plainFramesTakeTheShortWay() {
        for body in [FrameBody.heartbeat, .heartbeatAck, .sync, .syncDone, .resync] {
            for checksum in [nil, FrameChecksum(count: 1, check: 9), FrameChecksum(count: 300, check: .max)] {
                for request in [UInt32(0), 5, 70_000] {
                    let frame = Frame(request: request, body, checksum: checksum)
                    let bytes = frame.bytes()
                    let read = bytes.withUnsafeBytes { Frame(plain: $0) }
                    // Only the general codec reads a frame whose tag takes two bytes.
                    let isPlain = body != .resync
                    #expect(read == (isPlain ? frame : nil), "\(frame)")
                }
            }
        }
    }

    @Test("design 2: the table of frame names has every kind once")
    func namesMatchTheCases() {
        #expect(Set(FrameBody.names).count == FrameBody.names.count)
        #expect(Set(sampleBodies.map(\.name)) == Set(FrameBody.names))
    }

    @Test("design 2: the samples have a value in every property, so that the codec cannot omit one")
    func nothingIsUnset() {
        #expect(unsetProperties(in: sampleBodies) == [])
    }

    @Test("design 2: every number of every enum is encoded and decoded")
    func everyEnumValueTravels() throws {
        func travels(_ body: FrameBody) throws -> Bool { try Frame(bytes: Frame(body).bytes()).body == body }
        for status in Status.allCases { #expect(try travels(.kickAck(status))) }
        for reason in KickReason.allCases { #expect(try travels(.kicked(KickNotice(reason: reason, epoch: 1)))) }
        for reason in GoodbyeReason.allCases { #expect(try travels(.goodbye(reason, detail: ""))) }
        for phase in SyncPhase.allCases { #expect(try travels(.syncPhase(phase, count: 0))) }
        for change in DeviceChange.allCases { #expect(try travels(.devicesChanged(change, []))) }
        for finding in CredentialVerdict.Finding.allCases {
            #expect(try travels(.renewToken(.verdict(CredentialVerdict(finding)))))
        }
        for change in PresenceChange.allCases { #expect(try travels(.presence(user: "", change))) }
        for kind in OperationKind.allCases {
            #expect(try travels(.operated(DeviceOperation(id: "", kind: kind, target: ""))))
            #expect(OperationKind(name: kind.name) == kind)
        }
        for platform in Platform.allCases {
            #expect(try travels(.devicesChanged(.login, [Device(id: "d", platform: platform)])))
            #expect(Platform(name: platform.name) == platform)
        }
        for mode in LoginMode.allCases {
            let request = LoginRequest(
                application: "", user: "", device: Device(id: "", platform: .unknown), mode: mode, epoch: 0,
                credential: .reference(""))
            #expect(try travels(.login(request)))
        }
    }
}

@Suite struct FrameDecodingTests {
    private func error(_ bytes: [UInt8]) -> FrameError? {
        do throws(FrameError) {
            _ = try Frame(bytes: bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("design 2: a frame larger than the limit is refused before it is parsed")
    func oversize() {
        #expect(error([UInt8](repeating: 0xFF, count: ProtocolLimit.frameBytesMax + 1)) == .tooLarge)
        #expect(error([UInt8](repeating: 0xFF, count: ProtocolLimit.frameBytesMax)) == .notProtobuf)
        let text = String(repeating: "x", count: ProtocolLimit.frameBytesMax)
        #expect(error(Frame(.send(ChatMessage(id: "m", to: "bob", text: text))).bytes()) == .tooLarge)
    }

    @Test("design 2: empty bytes, a request number alone and random bytes each have their own error")
    func emptyAndGarbage() {
        #expect(error([]) == .emptyFrame)
        #expect(error([0x08, 0x05]) == .emptyFrame)
        #expect(error([0xFF, 0xFF, 0xFF]) == .notProtobuf)
        #expect(error(Array("GET / HTTP/1.1\r\n".utf8)) == .notProtobuf)
        #expect(Frame.name(ofBytes: [0xFF]) == "unreadable")
        // A frame with only a field of a later version has no known body.
        #expect(error([0xFA, 0x3F, 0x00]) == .emptyFrame)
    }

    @Test("design 2: an unknown field beside a known body is ignored")
    func unknownFieldsAreIgnored() throws {
        #expect(
            try Frame(bytes: Frame(request: 2, .heartbeat).bytes() + [0xFA, 0x3F, 0x00])
                == Frame(request: 2, .heartbeat))
    }

    @Test("design 2: an unknown number makes the frame unreadable, and the error names the field")
    func unknownNumbers() {
        // The field numbers are those of frame.proto. Each message consists of a length byte and one varint field.
        #expect(error([0x2A, 2, 0x08, 99]) == .invalidField("status"))
        #expect(error([0x2A, 3, 0x08, 0x80, 0x02]) == .invalidField("status"))  // 256 is not 0.
        #expect(error([0x42, 2, 0x08, 9]) == .invalidField("reason"))
        #expect(error([0x42, 0]) == .invalidField("reason"))
        #expect(error([0x6A, 2, 0x08, 9]) == .invalidField("phase"))
        #expect(error([0x7A, 2, 0x08, 9]) == .invalidField("change"))
        #expect(error([0x7A, 6, 0x08, 1, 0x12, 2, 0x10, 77]) == .invalidField("platform"))
        #expect(error([0x12, 0]) != nil)
        #expect(error([0x82, 0x01, 0]) == .invalidField("credential"))
        #expect(error([0x82, 0x01, 6, 0x0A, 4, 0x1A, 2, 0x08, 9]) == .invalidField("finding"))
        #expect(error([0xE2, 0x01, 2, 0x08, 9]) == .invalidField("reason"))
    }

    @Test("design 2: an account call, a query or a tree request of an unknown kind is refused")
    func unknownKinds() {
        #expect(error([0xFA, 0x01, 2, 0x10, 7]) == .invalidField("kind"))
        #expect(error([0xFA, 0x01, 0]) == .invalidField("kind"))
        // The number 258 must not be read as 2 by losing its high byte.
        #expect(error([0x8A, 0x02, 3, 0x10, 0x82, 0x02]) == .invalidField("kind"))
        // These bytes have a credential, but no action.
        #expect(error([0xEA, 0x01, 4, 0x1A, 2, 0x0A, 0]) == .invalidField("action"))
        #expect(error([0xEA, 0x01, 2, 0x2A, 0]) == .invalidField("credential"))
        #expect(error([0xAA, 0x02, 0]) == .invalidField("question"))
        #expect(error([0xCA, 0x02, 2, 0x10, 9]) == .invalidField("presence"))
        #expect(error([0xD2, 0x02, 2, 0x08, 9]) == .invalidField("kind"))
        #expect(error([0xD2, 0x02, 0]) == .invalidField("kind"))
    }

    private func error(_ node: TreeNode) -> FrameError? { error(Frame(data(node)).bytes()) }
    private func data(_ node: TreeNode) -> FrameBody { .treeData(TreeData(listen: 1, path: "", .set(node))) }

    @Test("design 2: duplicate children, invalid keys and invalid numbers are refused; their order is irrelevant")
    func unreadableTrees() throws {
        // The bytes of tree data whose value has one child for each letter of `keys`.
        func bytes(_ keys: String) -> [UInt8] {
            let children = keys.utf8.flatMap { [0x0A, 7, 0x0A, 1, $0, 0x12, 2, 0x08, 1] as [UInt8] }
            let count = UInt8(children.count)
            return [0xE2, 0x02, count + 4, 0x12, count + 2, 0x22, count] + children
        }
        let sorted = try Frame(bytes: bytes("abc"))
        #expect(sorted == Frame(.treeData(TreeData(listen: 0, path: "", .set(tree("a", "b", "c"))))))
        #expect(try Frame(bytes: bytes("cab")) == sorted)
        #expect(error(bytes("aa")) == .invalidField("value"))
        #expect(error(bytes("aba")) == .invalidField("value"))
        #expect(error(bytes("a.")) == .invalidField("value"))
        for number in [Double.nan, .infinity, -.infinity] { #expect(error(.number(number)) == .invalidField("value")) }
        #expect(error(.number(.greatestFiniteMagnitude)) == nil)
    }

    private func tree(_ keys: String...) -> TreeNode { .children(keys.map { ($0, .bool(true)) }) }

    @Test("design 2: a tree of 32 levels is sent, a deeper one is refused")
    func deepTrees() throws {
        func nested(_ depth: Int) -> TreeNode {
            (0..<depth).reduce(.bool(true)) { value, _ in .children([("k", value)]) }
        }
        for body in [data(nested(32)), .tree(.set(path: "", nested(32)))] {
            #expect(try Frame(bytes: Frame(body).bytes()).body == body)
        }
        #expect(error(nested(33)) != nil)
        #expect(error(nested(200)) != nil)
    }

    @Test("design 2: every error has a text")
    func errorsExplainThemselves() {
        let errors: [FrameError] = [.tooLarge, .notProtobuf, .emptyFrame, .invalidField("status")]
        #expect(Set(errors.map(\.explanation)).count == errors.count)
        #expect(FrameError.invalidField("status").explanation.contains("'status'"))
    }

    @Test("design 2: no changed byte and no truncation traps, and readable results are frames")
    func mutations() {
        var readable = 0
        var refused = 0
        for body in sampleBodies {
            let bytes = Frame(request: 300, body).bytes()
            for length in 0..<bytes.count { _ = error(Array(bytes.prefix(length))) }
            for index in bytes.indices {
                for value in UInt8.min ... .max where value != bytes[index] {
                    var changed = bytes
                    changed[index] = value
                    guard let frame = try? Frame(bytes: changed) else {
                        refused += 1
                        continue
                    }
                    readable += 1
                    if (try? Frame(bytes: frame.bytes())) != frame {
                        Issue.record("\(body.name): byte \(index) = \(value) reads, but does not come back")
                    }
                }
            }
        }
        #expect(readable > 10_000 && refused > 10_000)
    }

    @Test("design 2: thousands of random messages are refused or read without a trap")
    func randomBytes() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
            _ = error(bytes)
        }
    }
}

@Suite struct ProtocolLimitTests {
    @Test("design 2: a valid name is not empty, fits in 255 bytes and has no control characters")
    func names() {
        #expect(ProtocolLimit.isName("a"))
        #expect(ProtocolLimit.isName(String(repeating: "a", count: 255)))
        #expect(!ProtocolLimit.isName(String(repeating: "a", count: 256)))
        #expect(!ProtocolLimit.isName(String(repeating: "é", count: 128)))
        #expect(!ProtocolLimit.isName(""))
        for bad in ["\n", "a\u{0}", "\u{1B}[31m", "\u{7F}", "\u{9F}"] { #expect(!ProtocolLimit.isName(bad)) }
        #expect(ProtocolLimit.isName("名前 🙂"))
    }

    @Test("design 2: a device with an invalid id, a long name or a long extension is invalid")
    func devices() {
        #expect(Device(id: "d", platform: .ios).isValid)
        #expect(!Device(id: "", platform: .ios).isValid)
        #expect(!Device(id: "d", platform: .ios, name: String(repeating: "n", count: 256)).isValid)
        #expect(Device(id: "d", platform: .ios, ext: String(repeating: "e", count: 1024)).isValid)
        #expect(!Device(id: "d", platform: .ios, ext: String(repeating: "e", count: 1025)).isValid)
    }

    @Test("NIM-7 C-11: only final refusals by the server end the retries; network errors do not")
    func fatalStatuses() {
        let fatal = Status.allCases.filter(\.isFatalForLogin)
        #expect(
            fatal == [
                .wrongCredential, .credentialExpired, .banned, .loggedInElsewhere, .invalidArgument, .forbidden,
                .tooManyDevices, .unsupported, .deviceChanged, .accountLimit, .credentialTooShort,
                .offlineLoginNotAllowed,
            ])
        #expect(Set(Status.allCases.map(\.name)).count == Status.allCases.count)
    }
}
