import AgoraRtmKit
import Foundation
import SimulatedApp

/// An app that uses RTM 2 and stores the events as text.
@MainActor
final class SignalingPhone: NSObject {
    private(set) var events: [String] = []
    let kit: AgoraRtmClientKit

    init(_ user: String) throws {
        kit = try AgoraRtmClientKit(AgoraRtmClientConfig(appId: appID, userId: user), delegate: nil)
        super.init()
        kit.addDelegate(self)
    }

    func clear() { events = [] }

    func note(_ text: String) { events.append(text) }

    func logIn(_ token: String?) async -> AgoraRtmErrorCode { await kit.login(token).1?.errorCode ?? .ok }

    func subscribe(
        _ channel: String, _ features: AgoraRtmSubscribeChannelFeature = [.message, .presence]
    ) async -> AgoraRtmErrorCode {
        let options = AgoraRtmSubscribeOptions()
        options.features = features
        return await kit.subscribe(channelName: channel, option: options).1?.errorCode ?? .ok
    }

    func publish(
        _ text: String, to name: String, _ type: AgoraRtmChannelType = .message
    ) async -> AgoraRtmErrorCode {
        let options = AgoraRtmPublishOptions()
        options.channelType = type
        return await kit.publish(channelName: name, message: text, option: options).1?.errorCode ?? .ok
    }
}

extension SignalingPhone: @preconcurrency AgoraRtmClientDelegate {
    func rtmKit(_ rtmKit: AgoraRtmClientKit, didReceiveLinkStateEvent event: AgoraRtmLinkStateEvent) {
        let channels = event.affectedChannels.isEmpty ? "" : " [\(event.affectedChannels.joined(separator: ","))]"
        note("\(event.previousState)→\(event.currentState) \(event.operation) \(event.reasonCode)\(channels)")
    }

    func rtmKit(_ rtmKit: AgoraRtmClientKit, didReceiveMessageEvent event: AgoraRtmMessageEvent) {
        let bytes = event.message.rawData.map { "\($0.count) bytes" }
        note(
            "\(event.channelType) \(event.channelName) \(event.publisher): \(event.message.stringData ?? bytes ?? "?")")
    }

    func rtmKit(_ rtmKit: AgoraRtmClientKit, didReceivePresenceEvent event: AgoraRtmPresenceEvent) {
        let users = event.type == .snapshot ? event.snapshot.map(\.userId) : [event.publisher ?? "?"]
        note("\(event.channelName) \(event.type) \(users.joined(separator: ","))")
    }

    func rtmKit(_ rtmKit: AgoraRtmClientKit, tokenPrivilegeWillExpire channel: String?) { note("token will expire") }

    func rtmKit(
        _ kit: AgoraRtmClientKit, channel channelName: String,
        connectionChangedToState state: AgoraRtmClientConnectionState, reason: AgoraRtmClientConnectionChangeReason
    ) {
        note("(\(state) \(reason))")
    }
}

/// An app on a device that is logged in, without the events of the login.
@MainActor
func signalingPhone(
    _ user: String, on name: String, in simulation: Simulation, lifetime: Duration? = nil
) async throws -> (device: SimulatedDevice, app: SignalingPhone) {
    let device = simulation.device(name)
    let app = try device.launch { try SignalingPhone(user) }
    let token = simulation.token(for: user, lifetime: lifetime)
    let code = try await device.run { await app.logIn(token) }
    guard code == .ok else { throw SimulationFailure(code: code) }
    app.clear()
    return (device, app)
}

struct SimulationFailure: Error { var code: AgoraRtmErrorCode }
