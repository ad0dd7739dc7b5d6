import IMClient
import IMProfiles
import IMProtocol
import IMSession
import IMSimulation
import Recorder
import SansIO

extension Scenario {
    /// Makes a scenario from a recording. It contains all actions on the world, such as commands and faults, at their
    /// times in the recording.
    ///
    /// - Throws: ``WorldError`` if the recording contains no server, or cannot be played again.
    public init(_ decoded: DecodedSession) throws {
        if let rejectionReason = decoded.rejectionReason { throw WorldError(rejectionReason) }
        guard decoded.hasClients else { throw WorldError("this recording contains no client") }
        let seed = decoded.header["seed"].flatMap { UInt64($0) } ?? 1
        let dialect = try decoded.header.dialect()
        let configuration = WorldConfiguration(dialect, seed: seed)
        var steps: [ScenarioStep] = []
        var now = Instant.zero
        for cause in decoded.causes() {
            if cause.time > now { steps.append(.wait(cause.time - now)) }
            now = max(now, cause.time)
            let wall = configuration.epochNanoseconds / 1_000_000 + cause.time.nanoseconds / 1_000_000
            guard let action = ScenarioStep.Action(cause, wallMilliseconds: wall) else { continue }
            steps.append(ScenarioStep(cause.node, action))
        }
        if decoded.end > now { steps.append(.wait(decoded.end - now)) }
        let order = decoded.header["order"].flatMap(DueOrder.init) ?? .fixed
        self.init(profile: dialect.profile, seed: seed, order: order, steps: steps)
    }
}

extension ScenarioStep.Action {
    /// The action for a cause in a recording. Nil for a mark, because a mark has no effect on the world.
    fileprivate init?(_ cause: ForkCause, wallMilliseconds: Int64) {
        switch cause.action {
        case .newClient(let start):
            guard case .client(_, let device, _, _, _, _) = start.body else { return nil }
            self = .addClient(device.platform, device: device)
        case .app(let action): self = .app(action)
        case .net(let action): self = .net(action)
        case .skew(let interval): self = .skew(interval)
        case .server(let command): self = .server(command)
        case .serverProcess(let action): self = .serverProcess(action)
        case .mark: return nil
        case .client(let command): self.init(command, wallMilliseconds: wallMilliseconds)
        }
    }

    private init(_ command: ClientCommand, wallMilliseconds: Int64) {
        switch command {
        case .login(let call):
            let isOwn = call.credential.isEmpty || CredentialVault.isOwn(call.credential, of: call.user)
            let left = call.clock.expiresAtMilliseconds - wallMilliseconds
            if !isOwn, call.mode == .manual, call.clock.expiresAtMilliseconds == 0 {
                self = .loginWrongly(user: call.user)
                return
            }
            self = .login(
                user: call.user, call.mode,
                lifetime: isOwn || call.clock.expiresAtMilliseconds == 0 || left <= 0 ? nil : .milliseconds(left))
        case .renewToken(_, let clock):
            let left = clock.expiresAtMilliseconds - wallMilliseconds
            // A valid token contains its expiry time, so a token without one was invalid.
            self =
                clock.expiresAtMilliseconds == 0
                ? .renewWrongly : .renewToken(lifetime: left <= 0 ? nil : .milliseconds(left))
        case .accountCall(let user, _, let action): self = .accountCall(user: user, action)
        default: self = .command(command)
        }
    }
}
