import IMClient
import IMProfiles
import IMProtocol
import IMServer
import SansIO

/// A client that is online at a server, for one profile.
private struct Pair {
    var client: ClientMachine
    var server: ServerMachine
    let dialect: any Dialect

    init(_ dialect: any Dialect) {
        self.dialect = dialect
        let device = Device(id: "phone", platform: .ios)
        client = ClientMachine(policy: dialect.clientPolicy, device: device, seed: 1)
        server = ServerMachine(policy: dialect.serverPolicy, epochMilliseconds: 1_700_000_000_000)
        let link = ConnectionID(1)
        let login = LoginRequest(
            application: dialect.profile, user: "alice", device: device, mode: .manual, epoch: 0,
            credential: .verdict(CredentialVerdict(.valid, user: "alice")))
        _ = server.handle(.connectionOpened(link), at: .zero)
        _ = server.handle(.frameReceived(link, Frame(request: 1, .login(login))), at: .zero)
        _ = client.handle(
            .command(CommandID(1), .login(user: "alice", credential: "t", mode: .manual, clock: TokenClock())),
            at: .zero)
        _ = client.handle(.linkOpened(link), at: .zero)
        _ = client.handle(.frameReceived(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))), at: .zero)
        _ = client.handle(.frameReceived(link, Frame(request: 2, .syncDone)), at: .zero)
    }

    mutating func take(_ frame: Frame) {
        let link = ConnectionID(1)
        var effects = client.handle(.frameReceived(link, frame), at: .zero)
        _ = server.handle(.frameReceived(link, frame), at: .zero)
        for _ in 0..<4 {
            if let next = client.nextDeadline, next < .distantFuture {
                effects += client.handle(.deadlineReached, at: next)
                precondition(client.nextDeadline ?? .distantFuture > next, "time stands still")
            }
            if let next = server.nextDeadline, next < .distantFuture {
                _ = server.handle(.deadlineReached, at: next)
                precondition(server.nextDeadline ?? .distantFuture > next, "time stands still")
            }
        }
        for effect in effects { _ = dialect.callback(for: effect) }
    }
}

private let pairs = Dialects.all.map(Pair.init)

/// Reads the bytes as a sequence of frames, each after two bytes with its length.
@_cdecl("LLVMFuzzerTestOneInput")
public func readFrames(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: count)
    guard count > 0 else { return 0 }
    var pair = pairs[Int(bytes[0]) % pairs.count]
    var index = 1
    while index + 2 <= count {
        let length = min(Int(bytes[index]) << 8 | Int(bytes[index + 1]), count - index - 2)
        let part = UnsafeRawBufferPointer(rebasing: bytes[index + 2..<index + 2 + length])
        index += 2 + length
        guard let frame = try? Frame(bytes: part) else { continue }
        precondition((try? Frame(bytes: frame.bytes())) == frame, "another frame comes back")
        pair.take(frame)
    }
    return 0
}
