import IMClient
import IMLocalData
import IMProtocol
import IMSession
import IMSimulation
import SansIO

extension WorldCore {
    /// Performs a step. A wait does nothing here.
    ///
    /// - Throws: ``WorldError`` if the step is not possible now, such as a command to an app that does not run.
    package func perform(_ step: ScenarioStep) throws {
        func client() throws -> NodeID {
            guard let id = node(named: step.node) else { throw WorldError("there is no client '\(step.node)'") }
            guard !isClosed(id) else { throw WorldError("'\(step.node)' is closed") }
            return id
        }
        switch step.action {
        case .wait: return
        case .addClient(let platform, let device):
            try addClient(
                step.node, device: device?.id, platform: device?.platform ?? platform, deviceName: device?.name ?? "",
                osType: device?.osType ?? 0, ext: device?.ext ?? "")
        case .login(let user, let mode, let lifetime):
            try command(
                .login(user: user, credential: credential(of: user, mode, lifetime), mode: mode), client: client())
        case .loginWrongly(let user):
            try command(.login(user: user, credential: vault.keep("nonsense"), mode: .manual), client: client())
        case .renewToken(let lifetime):
            let id = try client()
            let user = try loggedIn(id)
            let token = lifetime == .zero ? try tokenWithoutExpiry(user, id) : try newToken(user, lifetime)
            try command(.renewToken(credential: token), client: id)
        case .renewWrongly:
            let id = try client()
            _ = try loggedIn(id)
            try command(.renewToken(credential: vault.keep("nonsense")), client: id)
        case .accountCall(let user, let action):
            try command(
                .accountCall(user: user, credential: vault.reference(for: user), action), client: client())
        case .kickClient(let name):
            let device = node(named: name).flatMap { self[$0].device?.id } ?? name
            try command(.kick(.device(device)), client: client())
        case .command(let request): try command(request, client: client())
        case .app(let action): try app(action, client: client())
        case .net(let action): net(action, client: try client())
        case .skew(let interval): try setClockSkew(by: interval, client: client())
        case .server(let request): try command(request)
        case .populateData(let user, let messages, let conversations):
            // The shell uses the same seed and the same end, so it generates the same data.
            let population = Population(
                seed: configuration.seed, messages: messages, conversations: conversations,
                endMilliseconds: wallMilliseconds)
            try command(.populateData(user: user, population))
        case .serverProcess(let action): try server(action)
        }
    }

    private func loggedIn(_ id: NodeID) throws -> String {
        guard let user = user(of: id) else { throw WorldError("no user is logged in") }
        return user
    }

    /// The name of the credential for a login. Empty if the SDK uses the credential that it stored at the last login.
    private func credential(of user: String, _ mode: LoginMode, _ lifetime: Interval?) throws -> String {
        if let lifetime { return try newToken(user, lifetime) }
        return mode == .manual ? vault.reference(for: user) : ""
    }

    /// A token that does not expire.
    private func tokenWithoutExpiry(_ user: String, _ id: NodeID) throws -> String {
        vault.keep(
            try PlainTokenAuthority(application: self[id].profile, lifetime: nil)
                .mint(user: user, lifetime: nil, wallMilliseconds: wallMilliseconds))
    }

    private func newToken(_ user: String, _ lifetime: Interval?) throws -> String {
        vault.keep(try vault.mint(user: user, lifetime: lifetime, wallMilliseconds: wallMilliseconds))
    }
}

extension SimulatedWorld {
    /// Plays steps one after the other. A step that is not possible at its time has no effect, and is no error.
    package func play(_ steps: some Sequence<ScenarioStep>) {
        for step in steps {
            if let wait = step.waiting {
                _ = run(until: core.now + wait) { _ in false }
            } else {
                try? core.perform(step)
            }
        }
    }
}
