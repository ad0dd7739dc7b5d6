import IMCheckers
import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// The rare events that a search should reach. A search that found no violation proves little before it reached all of
/// them. The report lists those that it did not reach.
public enum RareEvent: String, Hashable, Sendable, Codable, CaseIterable {
    case kickDuringSync = "a kick during a sync"
    case kickWhileReconnecting = "a kick while reconnecting"
    case kickDeliveredAfterRestart = "an undelivered kick told after a restart of the server"
    case kickDeliveredAtNextContact = "an undelivered kick told at the next contact"
    case expiryInBackoff = "a token's end in backoff"
    case expiryOnline = "a token's end while online"
    case renewalWhileReconnecting = "a new token while reconnecting"
    case lateAnswer = "an answer behind its time limit"
    case logoutWhileConnecting = "a logout while connecting"
    case logoutWhileReconnecting = "a logout while reconnecting"
    case logoutUnreached = "a logout that did not reach the server"
    case loginWhileLoggingIn = "a login while logging in"
    case killDuringSync = "a kill during a sync"
    case killWhileConnecting = "a kill while connecting"
    case wakeWhileConnecting = "awake in the midst of an attempt"
    case wakeOnline = "awake with a link"
    case staleInput = "a word of a replaced link"
    case thirdRetry = "a third retry in a row"
    case switchWhileConnecting = "another network while a link is made"
    case serverRestartWhileOnline = "a restart of the server while online"
    case lastDeviceRefusal = "an automatic login refused for another device"
    case offlineLogin = "a login without a network"
    case banWhileOnline = "a ban while online"
    case messageForAway = "a message for a device that is away"
    case sentTwice = "a message that reached the server twice"
    case silentLink = "a link ended for silence"
    case joinRestored = "a channel restored after a reconnect"
    case transactionAgain = "a transaction that ran again"
    case treeRefused = "a write refused by a rule"
    case treeCancelled = "a listener ended by a rule"

    /// True if the event can happen in a profile.
    public func isPossible(in policy: ClientPolicy) -> Bool {
        let features = policy.features
        switch self {
        case .kickDuringSync, .killDuringSync: return policy.sync == .beforeOnline
        case .expiryInBackoff, .expiryOnline, .renewalWhileReconnecting: return features.contains(.tokenRenewal)
        case .lastDeviceRefusal: return features.contains(.forcedAutologin)
        case .offlineLogin: return features.contains(.offlineLogin)
        case .messageForAway: return features.contains(.messages)
        // Only clients with a message queue send a message again whose answer was lost. With other clients the message
        // fails.
        case .sentTwice: return features.contains(.messageQueue)
        case .joinRestored: return features.contains(.attributes)
        case .transactionAgain, .treeRefused, .treeCancelled: return features.contains(.tree)
        case .kickWhileReconnecting, .kickDeliveredAfterRestart, .kickDeliveredAtNextContact, .banWhileOnline,
            .logoutWhileConnecting, .logoutWhileReconnecting, .logoutUnreached, .loginWhileLoggingIn:
            return !features.contains(.tree)
        case .lateAnswer, .killWhileConnecting, .wakeWhileConnecting, .wakeOnline, .staleInput, .thirdRetry,
            .switchWhileConnecting, .serverRestartWhileOnline, .silentLink:
            return true
        }
    }
}

/// Observes the rare events.
struct RareEventWatch {
    private var retries: [Int: Int] = [:]
    private var hasJoined: Set<Int> = []
    private var textsSent: Set<String> = []
    private var kicked: Set<String> = []
    private var serverStarts = 0

    mutating func observeClient(
        _ event: SessionEvent, _ node: Int, _ trace: ClientTrace, before: ClientState
    ) -> [RareEvent] {
        switch event.content {
        case .stop:
            if before == .syncing { return [.killDuringSync] }
            return [.connecting, .reconnecting].contains(before) ? [.killWhileConnecting] : []
        case .input(let input): return handleInput(input, trace)
        case .effect(let effect): return handleEffect(effect, node, trace, before: before)
        default: return []
        }
    }

    private func handleInput(_ input: NodeInput, _ trace: ClientTrace) -> [RareEvent] {
        if trace.isInputStale { return [.staleInput] }
        switch input {
        case .app(.woke):
            switch trace.state {
            case .connecting, .reconnecting: return [.wakeWhileConnecting]
            case .online: return trace.openLink == nil ? [] : [.wakeOnline]
            default: return []
            }
        case .network(.switched) where !trace.links.isEmpty && trace.openLink == nil: return [.switchWhileConnecting]
        case .frame(_, let frame):
            if case .treeCancelled = frame.body { return [.treeCancelled] }
        case .clientCommand(_, let command): return commanded(command, trace)
        default: break
        }
        return []
    }

    private func commanded(_ command: ClientCommand, _ trace: ClientTrace) -> [RareEvent] {
        switch (command, trace.state) {
        case (.logout, .connecting): [.logoutWhileConnecting]
        case (.logout, .reconnecting): [.logoutWhileReconnecting]
        case (.login, .connecting), (.login, .syncing): [.loginWhileLoggingIn]
        case (.renewToken, .reconnecting): [.renewalWhileReconnecting]
        default: []
        }
    }

    private mutating func handleEffect(
        _ effect: NodeEffect, _ node: Int, _ trace: ClientTrace, before: ClientState
    ) -> [RareEvent] {
        switch effect {
        case .transition(let change): return changed(change, node, trace)
        case .connect:
            guard case .deadlineReached? = trace.input else { return [] }
            retries[node, default: 0] += 1
            return retries[node] == 3 ? [.thirdRetry] : []
        case .closeLink:
            guard case .deadlineReached? = trace.input, before == .online, trace.openLink != nil else { return [] }
            return [.silentLink]
        case .complete(_, let completion):
            switch completion.status {
            case .timeout: return [.lateAnswer]
            case .connectionFailed:
                if case .deadlineReached? = trace.input, trace.state == .loggedOut { return [.logoutUnreached] }
                return []
            default: return []
            }
        case .notify(.tokenExpired): return before == .online ? [.expiryOnline] : [.expiryInBackoff]
        case .notify(.autologinFailed(let status)), .notify(.autologinCompleted(let status)):
            return status == .loggedInElsewhere ? [.lastDeviceRefusal] : []
        default: return []
        }
    }

    private mutating func changed(_ change: StateChange, _ node: Int, _ trace: ClientTrace) -> [RareEvent] {
        switch change.to {
        case .online, .syncing:
            retries[node] = 0
            return []
        case .kicked:
            var rareEvents: [RareEvent] = change.reason == .banned && change.from == .online ? [.banWhileOnline] : []
            if change.from == .syncing { rareEvents.append(.kickDuringSync) }
            if change.from == .reconnecting { rareEvents.append(.kickWhileReconnecting) }
            return rareEvents
        case .tokenExpired: return [change.from == .online ? .expiryOnline : .expiryInBackoff]
        case .offline:
            if case .clientCommand(_, .login(let call))? = trace.input, call.mode == .offline { return [.offlineLogin] }
            return []
        case .loggedOut:
            if case .deadlineReached? = trace.input, change.reason == .logout { return [.logoutUnreached] }
            return change.reason == .banned && change.from == .online ? [.banWhileOnline] : []
        case .connecting, .reconnecting:
            if case .clientCommand(_, .login(let call))? = trace.input, call.mode == .offline { return [.offlineLogin] }
            return []
        }
    }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace) -> [RareEvent] {
        switch event.content {
        case .start:
            serverStarts += 1
            return []
        case .input(.frame(_, let frame)):
            switch frame.body {
            case .send(let message):
                return textsSent.insert(message.text).inserted ? [] : [.sentTwice]
            case .settle(let settlement): return settlement.channels.isEmpty ? [] : [.joinRestored]
            default: return []
            }
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .kicked:
                guard let pendingLogin = trace.pendingLogin, pendingLogin.connection == connection else { return [] }
                return serverStarts > 1
                    ? [.kickDeliveredAtNextContact, .kickDeliveredAfterRestart] : [.kickDeliveredAtNextContact]
            case .sendAck(.stored, _): return [.messageForAway]
            case .treeAck(let status, _):
                if status == .transactionStale { return [.transactionAgain] }
                return status == .forbidden ? [.treeRefused] : []
            default: return []
            }
        default: return []
        }
    }
}
