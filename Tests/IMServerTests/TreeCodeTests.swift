import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMTree
import SansIO
import TestSupport
import Testing

/// Tests that every refusal of Wilddog Sync can be caused and has the vendor's code (SYNC-10).
@Suite struct TreeCodeTests {
    private let dialect = WilddogDialect()

    /// The codes of the calls that one input completes.
    private func numbers(_ machine: inout ClientMachine, _ input: ClientInput) -> [Int] {
        machine.handle(input, at: .zero).compactMap { effect in
            guard case .complete(_, let completion) = effect else { return nil }
            return dialect.code(for: completion.status, of: .tree).number
        }
    }

    private func set(_ value: TreeNode, _ id: UInt32 = 1) -> ClientInput {
        .command(CommandID(id), .tree(.set(path: "a", value), clock: TokenClock()))
    }

    private func text(_ count: Int) -> TreeNode { .text(String(repeating: "x", count: count)) }

    private var client: ClientMachine {
        ClientMachine(policy: dialect.clientPolicy, device: Device(id: "phone", platform: .ios), seed: 1)
    }

    @Test(
        "SYNC-10: a leaf that is too large gives 26105, a whole value that is too large 26104, without a request"
    )
    func sizes() {
        var phone = client
        let leaf = TreeLimits.leafBytesMax
        #expect(numbers(&phone, set(text(leaf + 1))) == [26_105])
        #expect(numbers(&phone, set(children(["b": text(leaf), "c": text(leaf)]), 2)) == [26_104])
        // A leaf at a deeper path has the same limit.
        #expect(numbers(&phone, set(children(["b": text(leaf + 1)]), 3)) == [26_105])
        let update = TreeCommand.update(path: "a", TreeUpdate(.parts(["b": text(leaf), "c": text(leaf)])))
        #expect(numbers(&phone, .command(CommandID(4), .tree(update, clock: TokenClock()))) == [26_104])
        #expect(numbers(&phone, set(text(leaf), 5)) == [])
    }

    @Test("SYNC-10: the server refuses the same values with the same codes; a full tree is 26102")
    func server() {
        func answer(_ machine: inout ServerMachine, _ request: TreeRequest) -> Int? {
            let frame = Frame(request: 7, .tree(request))
            for case .send(_, let frame) in machine.handle(.frameReceived(ConnectionID(1), frame), at: .zero) {
                guard case .treeAck(let status, _) = frame.body else { continue }
                return dialect.code(for: status, of: .tree).number
            }
            return nil
        }
        var machine = ServerMachine(policy: dialect.serverPolicy, epochMilliseconds: 0)
        _ = machine.handle(.connectionOpened(ConnectionID(1)), at: .zero)
        let login = LoginRequest(
            application: "wilddog", user: "phone", device: Device(id: "phone", platform: .ios), mode: .guest, epoch: 0,
            credential: .verdict(CredentialVerdict(.missing)))
        _ = machine.handle(.frameReceived(ConnectionID(1), Frame(request: 1, .login(login))), at: .zero)
        let leaf = text(TreeLimits.leafBytesMax)
        #expect(answer(&machine, .set(path: "a", text(TreeLimits.leafBytesMax + 1))) == 26_105)
        #expect(answer(&machine, .set(path: "a", children(["b": leaf, "c": leaf]))) == 26_104)
        for number in 1...15 { #expect(answer(&machine, .set(path: "b\(number)", leaf)) == 0) }
        #expect(answer(&machine, .set(path: "c", leaf)) == 26_102)
        // These requests reach the limit of 120 writes in 5 s. Reads are exempt from it (26103).
        for _ in 0..<104 { #expect(answer(&machine, .set(path: "d", .bool(true))) == 0) }
        #expect(answer(&machine, .set(path: "d", .bool(true))) == 26_103)
        #expect(answer(&machine, .onDisconnect(path: "d", .null)) == 26_103)
        #expect(answer(&machine, .get(path: "d")) == 0)
    }

    @Test("SYNC-10 C-1: a request that the app's end cancels has the code 29999")
    func cancelled() {
        var phone = client
        #expect(numbers(&phone, set(.bool(true))) == [])
        #expect(numbers(&phone, .appChanged(.closing)) == [29_999])
    }
}
