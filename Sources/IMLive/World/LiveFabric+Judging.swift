import IMClient
import IMProtocol
import IMSimulation
import SansIO

// Credential checks of a server's host. A credential is checked before its connection continues.

extension LiveFabric {
    /// A server's connection in its host. Frames wait in order while the credential of an earlier one is checked, and
    /// reading stops meanwhile, so that a peer whose password takes long to check waits with its later frames.
    final class Accepted {
        let link: ServerLink
        var waiting: [Waiting] = []
        var waitingBytes = 0
        var isJudging = false

        enum Waiting {
            case message([UInt8], EventID)
            case end(LinkEnd, EventID)

            var byteCount: Int {
                switch self {
                case .message(let bytes, _): bytes.count
                case .end: 0
                }
            }
        }

        init(_ link: ServerLink) { self.link = link }
    }

    /// The maximum number of bytes that were read before reading stopped. A peer with more in flight (one that closes:
    /// the rest arrives at once) is cut off.
    static let waitingBytesMax = 1 << 20

    func take(_ item: Accepted.Waiting, of connection: ConnectionID, _ entry: Accepted, _ server: NodeID) {
        if case .end(.violation(_, let text), _) = item { tellCut(entry, text) }
        guard entry.waitingBytes + item.byteCount <= Self.waitingBytesMax else {
            return cut(connection, entry, server, "more than \(Self.waitingBytesMax) bytes behind a credential")
        }
        guard case .end = item else {
            entry.waiting.append(item)
            entry.waitingBytes += item.byteCount
            return takeWaiting(of: connection, entry, server)
        }
        guard accepted[connection] === entry else { return }
        // Thousands of connections may end at once. The core receives the ends in order, and other work in between.
        turns.take { [weak self] in
            guard let self, accepted[connection] === entry else { return }
            entry.waiting.append(item)
            takeWaiting(of: connection, entry, server)
        }
    }

    /// Delivers the frames that have arrived over a connection, in order, up to one with a credential to check.
    private func takeWaiting(of connection: ConnectionID, _ entry: Accepted, _ server: NodeID) {
        while !entry.isJudging, !entry.waiting.isEmpty {
            guard accepted[connection] === entry else { return }
            let item = entry.waiting.removeFirst()
            entry.waitingBytes -= item.byteCount
            switch item {
            case .end(let end, let cause):
                accepted[connection] = nil
                letIn(.linkClosed(connection, LinkFault(end) ?? .reset), to: server, cause: cause)
            case .message(let bytes, let cause):
                let frame: Frame
                do throws(FrameError) {
                    frame = try Frame(bytes: bytes)
                } catch {
                    letIn(.unreadable(connection, error), to: server, cause: cause)
                    continue
                }
                guard let credential = frame.body.credential else {
                    letIn(.frame(connection, frame), to: server, cause: cause)
                    continue
                }
                judge(credential, in: frame, of: connection, entry, server, cause)
            }
        }
    }

    private func judge(
        _ credential: Credential, in frame: Frame, of connection: ConnectionID, _ entry: Accepted, _ server: NodeID,
        _ cause: EventID
    ) {
        let bearer = GuessLimit.Guesser(
            address: entry.link.remoteNetwork, user: frame.body.credentialUser, device: frame.body.credentialDevice)
        guard core.vault.needsTurn(credential, from: bearer) else {
            return judge(credential, of: bearer, in: frame, of: connection, entry, server, cause)
        }
        // A password check takes long. Each address has its turn; tokens do not wait.
        let hasTurn = passwordTurns.add(bearer.address) { [weak self] in
            guard let self else { return }
            guard accepted[connection] === entry else { return passwordTurns.end() }
            judge(credential, of: bearer, in: frame, of: connection, entry, server, cause) { [weak self] in
                self?.passwordTurns.end()
            }
        }
        guard hasTurn else {
            return cut(
                connection, entry, server, "too many passwords of \(bearer.address) are being checked", code: 1013)
        }
        entry.isJudging = true
        entry.link.setReading(false)
        passwordTurns.start()
    }

    private func judge(
        _ credential: Credential, of bearer: GuessLimit.Guesser, in frame: Frame, of connection: ConnectionID,
        _ entry: Accepted, _ server: NodeID, _ cause: EventID, done: @escaping () -> Void = {}
    ) {
        let hasWaited = entry.isJudging
        entry.isJudging = true
        var hasReturned = false
        judge(credential, from: bearer) { [weak self] verdict in
            guard let self else { return }
            done()
            entry.isJudging = false
            guard accepted[connection] === entry else { return }
            let noted = core.noting(verdict, from: bearer.address)
            letIn(
                .frame(connection, frame.replacingCredential(with: .verdict(noted))), to: server, cause: cause)
            // If the verdict was immediate, as for a token, the caller continues by itself.
            guard hasReturned || hasWaited else { return }
            takeWaiting(of: connection, entry, server)
            if !entry.isJudging { entry.link.setReading(true) }
        }
        hasReturned = true
        if entry.isJudging { entry.link.setReading(false) }
    }

    /// Ends a connection that exceeds a limit.
    private func cut(
        _ connection: ConnectionID, _ entry: Accepted, _ server: NodeID, _ why: String, code: UInt16 = 1008
    ) {
        guard accepted[connection] === entry else { return }
        accepted[connection] = nil
        entry.waiting = []
        entry.link.setReading(true)
        entry.link.close(code: code, reason: why)
        tellCut(entry, why)
        letIn(.linkClosed(connection, .reset), to: server, cause: .none)
    }

    private func tellCut(_ entry: Accepted, _ why: String) {
        onCut?("a connection from \(entry.link.remoteAddress) was closed: \(why)")
    }
}
