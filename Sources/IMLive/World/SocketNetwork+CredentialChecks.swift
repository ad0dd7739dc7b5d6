import IMClient
import IMProtocol
import IMSimulation
import SansIO

// Credential checks of a server's host. A credential is checked before its connection continues.

extension SocketNetwork {
    /// A server's connection in its host. Frames wait in order while the credential of an earlier one is checked, and
    /// reading stops meanwhile, so that a peer whose password takes long to check waits with its later frames.
    final class Accepted {
        let link: ServerConnection
        var waiting: [Waiting] = []
        var waitingBytes = 0
        var isChecking = false

        enum Waiting {
            case message([UInt8], EventID)
            case end(ConnectionEnd, EventID)

            var byteCount: Int {
                switch self {
                case .message(let bytes, _): bytes.count
                case .end: 0
                }
            }
        }

        init(_ link: ServerConnection) { self.link = link }
    }

    /// The maximum number of bytes that wait while a credential is checked. They were read before reading stopped. A
    /// peer with more is cut off; this can happen to a peer that closes, because it sends the rest at once.
    static let waitingBytesMax = 1 << 20

    func take(_ item: Accepted.Waiting, of connection: ConnectionID, _ entry: Accepted, _ server: NodeID) {
        if case .end(.violation(_, let text), _) = item { reportCut(entry, text) }
        guard entry.waitingBytes + item.byteCount <= Self.waitingBytesMax else {
            return cut(connection, entry, server, "more than \(Self.waitingBytesMax) bytes after a credential")
        }
        guard case .end = item else {
            entry.waiting.append(item)
            entry.waitingBytes += item.byteCount
            return takeWaiting(of: connection, entry, server)
        }
        guard accepted[connection] === entry else { return }
        // Thousands of connections may end at once. The core receives the ends in order, and other work in between.
        workQueue.take { [weak self] in
            guard let self, accepted[connection] === entry else { return }
            entry.waiting.append(item)
            takeWaiting(of: connection, entry, server)
        }
    }

    /// Delivers the frames that have arrived over a connection, in order, up to one with a credential to check.
    private func takeWaiting(of connection: ConnectionID, _ entry: Accepted, _ server: NodeID) {
        while !entry.isChecking, !entry.waiting.isEmpty {
            guard accepted[connection] === entry else { return }
            let item = entry.waiting.removeFirst()
            entry.waitingBytes -= item.byteCount
            switch item {
            case .end(let end, let cause):
                accepted[connection] = nil
                deliverInput(.linkClosed(connection, LinkError(end) ?? .reset), to: server, cause: cause)
            case .message(let bytes, let cause):
                let frame: Frame
                do throws(FrameError) {
                    frame = try Frame(bytes: bytes)
                } catch {
                    deliverInput(.unreadable(connection, error), to: server, cause: cause)
                    continue
                }
                guard let credential = frame.body.credential else {
                    deliverInput(.frame(connection, frame), to: server, cause: cause)
                    continue
                }
                checkCredential(credential, in: frame, of: connection, entry, server, cause)
            }
        }
    }

    private func checkCredential(
        _ credential: Credential, in frame: Frame, of connection: ConnectionID, _ entry: Accepted, _ server: NodeID,
        _ cause: EventID
    ) {
        let bearerKey = CredentialRateLimiter.BearerKey(
            address: entry.link.remoteNetwork, user: frame.body.credentialUser, device: frame.body.credentialDevice)
        guard core.vault.needsTurn(credential, from: bearerKey) else {
            return checkCredential(credential, of: bearerKey, in: frame, of: connection, entry, server, cause)
        }
        // A password check takes long. The addresses take turns; tokens do not wait.
        let hasTurn = passwordQueue.add(bearerKey.address) { [weak self] in
            guard let self else { return }
            guard accepted[connection] === entry else { return passwordQueue.end() }
            checkCredential(credential, of: bearerKey, in: frame, of: connection, entry, server, cause) { [weak self] in
                self?.passwordQueue.end()
            }
        }
        guard hasTurn else {
            return cut(
                connection, entry, server, "too many password checks for \(bearerKey.address)", code: 1013)
        }
        entry.isChecking = true
        entry.link.setReading(false)
        passwordQueue.start()
    }

    private func checkCredential(
        _ credential: Credential, of bearerKey: CredentialRateLimiter.BearerKey, in frame: Frame,
        of connection: ConnectionID,
        _ entry: Accepted, _ server: NodeID, _ cause: EventID, done: @escaping () -> Void = {}
    ) {
        let hasWaited = entry.isChecking
        entry.isChecking = true
        var hasReturned = false
        checkCredential(credential, from: bearerKey) { [weak self] verdict in
            guard let self else { return }
            done()
            entry.isChecking = false
            guard accepted[connection] === entry else { return }
            let noted = core.serverVerdict(verdict, from: bearerKey.address)
            deliverInput(
                .frame(connection, frame.replacingCredential(with: .verdict(noted))), to: server, cause: cause)
            // If the verdict was immediate, as for a token, the caller continues by itself.
            guard hasReturned || hasWaited else { return }
            takeWaiting(of: connection, entry, server)
            if !entry.isChecking { entry.link.setReading(true) }
        }
        hasReturned = true
        if entry.isChecking { entry.link.setReading(false) }
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
        reportCut(entry, why)
        deliverInput(.linkClosed(connection, .reset), to: server, cause: .none)
    }

    private func reportCut(_ entry: Accepted, _ why: String) {
        onCut?("a connection from \(entry.link.remoteAddress) was closed: \(why)")
    }
}
