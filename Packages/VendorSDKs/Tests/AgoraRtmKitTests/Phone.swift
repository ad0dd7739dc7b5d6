import AgoraRtmKit
import Foundation
import SimulatedApp

/// An app that only listens. It stores the events of its kit and its channels as text.
@MainActor
final class Phone: NSObject {
    private(set) var heard: [String] = []
    var kit: AgoraRtmKit
    /// Called for each event, with its text.
    var onWord: ((String) -> Void)?

    override init() {
        guard let kit = AgoraRtmKit(appId: appID, delegate: nil) else { preconditionFailure("no kit") }
        self.kit = kit
        super.init()
        kit.agoraRtmDelegate = self
    }

    func forget() { heard = [] }

    func note(_ word: String) {
        heard.append(word)
        onWord?(word)
    }

    func channel(_ name: String) throws -> AgoraRtmChannel {
        guard let channel = kit.createChannel(withId: name, delegate: self) else { throw NoChannel() }
        return channel
    }

    struct NoChannel: Error {}
}

extension Phone: @preconcurrency AgoraRtmDelegate {
    func rtmKit(
        _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
        reason: AgoraRtmConnectionChangeReason
    ) {
        note("\(state) \(reason)")
    }

    func rtmKit(_ kit: AgoraRtmKit, messageReceived message: AgoraRtmMessage, fromPeer peerId: String) {
        note("\(peerId): \(message.text)")
    }

    func rtmKit(_ kit: AgoraRtmKit, peersOnlineStatusChanged onlineStatus: [AgoraRtmPeerOnlineStatus]) {
        for status in onlineStatus { note("\(status.peerId) \(status.state)") }
    }

    func rtmKitTokenDidExpire(_ kit: AgoraRtmKit) { note("token expired") }
}

extension Phone: @preconcurrency AgoraRtmChannelDelegate {
    func channel(_ channel: AgoraRtmChannel, memberJoined member: AgoraRtmMember) {
        note("\(member.channelId) +\(member.userId)")
    }

    func channel(_ channel: AgoraRtmChannel, memberLeft member: AgoraRtmMember) {
        note("\(member.channelId) -\(member.userId)")
    }

    func channel(_ channel: AgoraRtmChannel, messageReceived message: AgoraRtmMessage, from member: AgoraRtmMember) {
        note("\(member.channelId) \(member.userId): \(message.text)")
    }

    func channel(_ channel: AgoraRtmChannel, memberCount count: Int32) { note("count \(count)") }
}

/// An app on a device, logged in, without the events so far.
@MainActor
func loggedIn(
    _ user: String, on name: String, in simulation: Simulation, lifetime: Duration? = nil
) async throws -> (device: SimulatedDevice, app: Phone) {
    let device = simulation.device(name)
    let app = try device.launch { Phone() }
    let token = simulation.token(for: user, lifetime: lifetime)
    try await device.run {
        let code = await app.kit.login(byToken: token, user: user)
        guard code == .ok else { throw RtmManager.LoginError.code(code) }
    }
    app.forget()
    return (device, app)
}
