import IMClient
import IMProtocol
import IMSimulation
import SansIO

// The credential checks of the server's side. A credential is checked before the server's machine receives its frame.

extension SocketNetwork {
    /// A server's connection, with the frames that wait. Frames wait in order while the credential of an earlier one is
    /// checked. Reading stops in the meantime, so that a peer whose password takes long to check waits, too.
    final class AcceptedConnection {
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

    /// The maximum number of bytes that wait while a credential is checked. They were read before reading stopped. The
    /// connection of a peer with more is closed. This can happen to a peer that closes, because the system then
    /// delivers all remaining bytes at once.
    static let waitingBytesMax = 1 << 20

    func take(
        _ item: AcceptedConnection.Waiting, of connection: ConnectionID, _ entry: AcceptedConnection, _ server: NodeID
    ) {
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
        // Thousands of connections may end at once. The queue delivers the ends in order, with other work in between.
        workQueue.take { [weak self] in
            guard let self, accepted[connection] === entry else { return }
            entry.waiting.append(item)
            takeWaiting(of: connection, entry, server)
        }
    }

    /// Delivers the waiting frames of a connection, in order, until one has a credential to check.
    private func takeWaiting(of connection: ConnectionID, _ entry: AcceptedConnection, _ server: NodeID) {
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
        _ credential: Credential, in frame: Frame, of connection: ConnectionID, _ entry: AcceptedConnection,
        _ server: NodeID, _ cause: EventID
    ) {
        let bearerKey = CredentialRateLimiter.BearerKey(
            address: entry.link.remoteNetwork, user: frame.body.credentialUser, device: frame.body.credentialDevice)
        guard core.vault.needsTurn(credential, from: bearerKey) else {
            return checkCredential(credential, of: bearerKey, in: frame, of: connection, entry, server, cause)
        }
        // A password check takes long, so the addresses take turns. A token is checked immediately.
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
        _ entry: AcceptedConnection, _ server: NodeID, _ cause: EventID, done: @escaping () -> Void = {}
    ) {
        let hasWaited = entry.isChecking
        entry.isChecking = true
        var hasReturned = false
        checkCredential(credential, from: bearerKey) { [weak self] verdict in
            guard let self else { return }
            done()
            entry.isChecking = false
            guard accepted[connection] === entry else { return }
            let recorded = core.serverVerdict(verdict, from: bearerKey.address)
            deliverInput(
                .frame(connection, frame.replacingCredential(with: .verdict(recorded))), to: server, cause: cause)
            // If the verdict was immediate, as for a token, the caller itself continues with the next frame.
            guard hasReturned || hasWaited else { return }
            takeWaiting(of: connection, entry, server)
            if !entry.isChecking { entry.link.setReading(true) }
        }
        hasReturned = true
        if entry.isChecking { entry.link.setReading(false) }
    }

    /// Closes a connection that exceeds a limit.
    private func cut(
        _ connection: ConnectionID, _ entry: AcceptedConnection, _ server: NodeID, _ why: String, code: UInt16 = 1008
    ) {
        guard accepted[connection] === entry else { return }
        accepted[connection] = nil
        entry.waiting = []
        entry.link.setReading(true)
        entry.link.close(code: code, reason: why)
        reportCut(entry, why)
        deliverInput(.linkClosed(connection, .reset), to: server, cause: .none)
    }

    private func reportCut(_ entry: AcceptedConnection, _ why: String) {
        onCut?("a connection from \(entry.link.remoteAddress) was closed: \(why)")
    }
}
