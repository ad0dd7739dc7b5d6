import IMClient
import IMScript
import IMServer
import IMSession
import IMSimulation

// What is handed to machines, under pseudonyms.

extension Pseudonyms {
    func input(_ input: NodeInput) -> NodeInput {
        switch input {
        case .frame(let connection, let frame): .frame(connection, self.frame(frame))
        case .clientCommand(let id, let command): .clientCommand(id, self.command(command))
        case .serverCommand(let id, let command): .serverCommand(id, self.command(command))
        case .unreadable, .linkOpened, .linkFailed, .linkClosed, .deadlineReached, .network, .app: input
        }
    }

    private func command(_ command: ClientCommand) -> ClientCommand {
        switch command {
        case .logout, .query, .resend, .setOption, .goOffline, .goOnline, .kick(.otherDevices): command
        case .login(let user, let credential, let mode, let clock):
            .login(user: name(user, .user), credential: self.credential(credential), mode: mode, clock: clock)
        case .renewToken(let credential, let clock):
            .renewToken(credential: self.credential(credential), clock: clock)
        case .kick(.device(let device)): .kick(.device(name(device, .device)))
        case .send(let target, let text, let isToChannel):
            .send(to: name(target, isToChannel ? .channel : .user), text: item(text), isToChannel: isToChannel)
        case .join(let channel): .join(channel: name(channel, .channel))
        case .leave(let channel): .leave(channel: name(channel, .channel))
        case .setAttributes(let channel, let fields):
            .setAttributes(channel: name(channel, .channel), fields.map(attribute))
        case .ask(let question): .ask(self.question(question))
        case .watch(let user, let isOn): .watch(user: name(user, .user), isOn: isOn)
        case .accountCall(let user, let credential, let action):
            .accountCall(
                user: name(user, .user), credential: self.credential(credential), self.action(action))
        case .operate(let kind, let target, let ext): .operate(kind, target: name(target, .target), ext: text(ext))
        case .tree(let request, let clock): .tree(tree(request), clock: clock)
        }
    }

    private func command(_ command: ServerCommand) -> ServerCommand {
        switch command {
        case .addAccount(let user): return .addAccount(name(user, .user))
        case .banAccount(let user): return .banAccount(name(user, .user))
        case .deleteAccount(let user): return .deleteAccount(name(user, .user))
        case .kick(let user, let device):
            return .kick(user: name(user, .user), device: device.map { name($0, .device) })
        case .listDevices(let user): return .listDevices(user: name(user, .user))
        case .setPolicy(let key, let value):
            let policy = policy(key, value)
            return .setPolicy(key: policy.key, value: policy.value)
        case .populate(let user, let amounts): return .populate(user: name(user, .user), amounts)
        case .passwordChanged(let user): return .passwordChanged(user: name(user, .user))
        case .setRefusal(let user, let status): return .setRefusal(user: name(user, .user), status)
        case .shutDown: return command
        }
    }

    func local(_ data: LocalData) -> LocalData {
        var data = data
        data.lastUser = data.lastUser.map { name($0, .user) }
        data.credentialReference = credential(data.credentialReference)
        data.items = data.items.map { item in
            LocalItem(
                user: name(item.user, .user), kind: item.kind, id: itemIdentifier(item.id), text: self.item(item.text))
        }
        data.received = ReceivedNumbers(
            users: data.received.users.map { .init(user: name($0.user, .user), numbers: $0.numbers) })
        return data
    }

    /// What a machine is made from.
    ///
    /// - Throws: what keeps the server's state from being read.
    func start(_ start: StartRecord) throws -> StartRecord {
        var start = start
        start.name = node(start.name)
        switch start.body {
        case .client(let policy, let device, let local, let seed, let firstConnection, let nonce):
            start.body = .client(
                policy: policy, device: self.device(device), local: self.local(local), seed: seed,
                firstConnection: firstConnection, nonce: nonce)
        case .server(let machine): start.body = .server(try self.server(machine))
        }
        return start
    }
}
