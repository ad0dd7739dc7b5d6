import AgoraRtmKit
import AppStandIns
import Foundation

let appID = String(repeating: "a", count: 32)

/// A login manager as apps write it, with continuations around the vendor's blocks.
@MainActor
final class RtmManager: NSObject {
    enum LoginError: Error, Equatable {
        case code(AgoraRtmLoginErrorCode)
        case join(AgoraRtmJoinChannelErrorCode)
    }

    private(set) var isOnline = false
    private(set) var wasKicked = false
    private(set) var log: [String] = []
    private var kit: AgoraRtmKit?
    private var channel: AgoraRtmChannel?

    override init() {
        super.init()
        kit = AgoraRtmKit(appId: appID, delegate: self)
    }

    func login(_ user: String, token: String?) async throws {
        let code = await withCheckedContinuation { continuation in
            kit?.login(byToken: token, user: user) { continuation.resume(returning: $0) }
        }
        guard code == .ok else { throw LoginError.code(code) }
    }

    func enter(_ room: String) async throws {
        channel = kit?.createChannel(withId: room, delegate: self)
        let code = await withCheckedContinuation { continuation in
            channel?.join(completion: { continuation.resume(returning: $0) })
        }
        guard code == .channelErrorOk else { throw LoginError.join(code) }
    }

    func say(_ text: String) { channel?.send(AgoraRtmMessage(text: text), completion: nil) }

    func logout() {
        channel?.leave(completion: nil)
        kit?.logout(completion: nil)
    }

    private func changed(_ state: AgoraRtmConnectionState, _ reason: AgoraRtmConnectionChangeReason) {
        log.append("\(state) \(reason)")
        isOnline = state == .connected
        if state == .aborted && reason == .remoteLogin {
            wasKicked = true
            kit?.logout(completion: { [weak self] code in self?.log.append("logout \(code)") })
        }
    }
}

extension RtmManager: @preconcurrency AgoraRtmDelegate, @preconcurrency AgoraRtmChannelDelegate {
    func rtmKit(
        _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
        reason: AgoraRtmConnectionChangeReason
    ) {
        changed(state, reason)
    }

    func channel(_ channel: AgoraRtmChannel, messageReceived message: AgoraRtmMessage, from member: AgoraRtmMember) {
        log.append("\(member.userId)@\(member.channelId): \(message.text)")
    }

    func channel(_ channel: AgoraRtmChannel, memberJoined member: AgoraRtmMember) { log.append("+\(member.userId)") }
    func channel(_ channel: AgoraRtmChannel, memberLeft member: AgoraRtmMember) { log.append("-\(member.userId)") }
}

/// A login that blocks a queue until it ends, as some apps do. It runs on the job thread, and never on the main
/// actor.
final class BlockingLogin: NSObject, AgoraRtmDelegate, @unchecked Sendable {
    private(set) var words: [String] = []
    private lazy var kit = AgoraRtmKit(appId: appID, delegate: self)

    func login(_ user: String) {
        SimulatedDispatchQueue.global().async { [self] in
            let done = SimulatedDispatchSemaphore(value: 0)
            var code = AgoraRtmLoginErrorCode.unknown
            kit?.login(byToken: nil, user: user) {
                code = $0
                done.signal()
            }
            done.wait()
            words.append("\(code)")
        }
    }

    func rtmKit(
        _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
        reason: AgoraRtmConnectionChangeReason
    ) {
        if state == .connected { words.append("connected") }
    }
}

/// A login whose callbacks hop to the main actor.
@MainActor
final class HoppingLogin: NSObject, AgoraRtmDelegate {
    private(set) var states: [AgoraRtmConnectionState] = []
    private(set) var kit: AgoraRtmKit?

    override init() {
        super.init()
        kit = AgoraRtmKit(appId: appID, delegate: self)
    }

    nonisolated func rtmKit(
        _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
        reason: AgoraRtmConnectionChangeReason
    ) {
        Task { @MainActor in states.append(state) }
    }
}
