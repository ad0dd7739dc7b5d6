import SwiftProtobuf

// Converts the contents of frames to and from the types that the protobuf compiler generated. A frame with a number
// that this version does not support is unreadable, so that the number is not mistaken for another value.

extension RawRepresentable where RawValue == UInt8 {
    /// The enum value for a number in a frame.
    ///
    /// - Throws: ``FrameError/invalidField(_:)`` if no value has the number.
    init(number: UInt32, field: String) throws(FrameError) {
        guard let small = UInt8(exactly: number), let value = Self(rawValue: small) else {
            throw .invalidField(field)
        }
        self = value
    }
}

func devices(_ wire: [WireDevice]) throws(FrameError) -> [Device] {
    var devices: [Device] = []
    devices.reserveCapacity(wire.count)
    for device in wire { devices.append(try Device(device)) }
    return devices
}

extension Status {
    init(wire: UInt32) throws(FrameError) { try self.init(number: wire, field: "status") }

    var wireReply: WireStatusReply { .with { $0.status = UInt32(rawValue) } }
}

extension Device {
    init(_ wire: WireDevice) throws(FrameError) {
        self.init(
            id: wire.id, platform: try Platform(number: wire.platform, field: "platform"), name: wire.name,
            osType: wire.osType, ext: wire.extension)
    }

    var wire: WireDevice {
        .with {
            $0.id = id
            $0.platform = UInt32(platform.rawValue)
            $0.name = name
            $0.osType = osType
            $0.extension = ext
        }
    }
}

extension Credential {
    init(_ wire: WireCredential) throws(FrameError) {
        switch wire.kind {
        case .reference(let name): self = .reference(name)
        case .secret(let secret): self = .secret(secret)
        case .verdict(let verdict):
            self = .verdict(
                CredentialVerdict(
                    try CredentialVerdict.Finding(number: verdict.finding, field: "finding"), user: verdict.user,
                    expiresAtMilliseconds: verdict.expiresAtMs, issuedAtMilliseconds: verdict.issuedAtMs,
                    origin: verdict.origin))
        case nil: throw .invalidField("credential")
        }
    }

    var wire: WireCredential {
        .with {
            switch self {
            case .reference(let name): $0.reference = name
            case .secret(let secret): $0.secret = secret
            case .verdict(let verdict):
                $0.verdict = .with {
                    $0.finding = UInt32(verdict.finding.rawValue)
                    $0.user = verdict.user
                    $0.expiresAtMs = verdict.expiresAtMilliseconds
                    $0.issuedAtMs = verdict.issuedAtMilliseconds
                    $0.origin = verdict.origin
                }
            }
        }
    }
}

extension LoginRequest {
    init(_ wire: WireLoginRequest) throws(FrameError) {
        self.init(
            application: wire.application, user: wire.user, device: try Device(wire.device),
            mode: try LoginMode(number: wire.mode, field: "mode"), epoch: wire.epoch,
            credential: try Credential(wire.credential), instance: wire.instance, userName: wire.userName)
    }

    var wire: WireLoginRequest {
        .with {
            $0.application = application
            $0.user = user
            $0.device = device.wire
            $0.mode = UInt32(mode.rawValue)
            $0.epoch = epoch
            $0.credential = credential.wire
            $0.instance = instance
            $0.userName = userName
        }
    }
}

extension LoginReply {
    init(_ wire: WireLoginReply) throws(FrameError) {
        self.init(
            try Status(wire: wire.status), epoch: wire.epoch, serverTimeMilliseconds: wire.serverTimeMs,
            otherDevices: try devices(wire.otherDevices), expiresAtMilliseconds: wire.expiresAtMs,
            wasGone: wire.wasGone, issuedAtMilliseconds: wire.issuedAtMs)
    }

    var wire: WireLoginReply {
        .with {
            $0.status = UInt32(status.rawValue)
            $0.epoch = epoch
            $0.serverTimeMs = serverTimeMilliseconds
            $0.otherDevices = otherDevices.map(\.wire)
            $0.expiresAtMs = expiresAtMilliseconds
            $0.wasGone = wasGone
            $0.issuedAtMs = issuedAtMilliseconds
        }
    }
}

extension KickNotice {
    init(_ wire: WireKickNotice) throws(FrameError) {
        self.init(
            reason: try KickReason(number: wire.reason, field: "reason"), epoch: wire.epoch,
            by: wire.hasBy ? try Device(wire.by) : nil)
    }

    var wire: WireKickNotice {
        .with {
            $0.reason = UInt32(reason.rawValue)
            $0.epoch = epoch
            if let by { $0.by = by.wire }
        }
    }
}

extension ChatMessage {
    init(_ wire: WireMessage) {
        self.init(
            id: wire.id, from: wire.from, to: wire.to, text: wire.text, isToChannel: wire.toChannel,
            isToGroup: wire.toGroup, number: wire.number)
    }

    var wire: WireMessage {
        .with {
            $0.id = id
            $0.from = from
            $0.to = to
            $0.text = text
            $0.toChannel = isToChannel
            $0.toGroup = isToGroup
            $0.number = number
        }
    }
}
