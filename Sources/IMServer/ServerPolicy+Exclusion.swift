import IMProtocol

// Which devices cannot be online together: the devices of one group, beyond the group's slots (NIM-11, ZIM-7, CHAT-2).

/// Devices that compete for the same slots.
enum DeviceGroup: Hashable, Sendable, Codable {
    case all
    case mobile
    case desktop
    case web
    case notWeb
    case platform(Platform)
    /// A platform that the app defines (CHAT-5).
    case osType(UInt32)
}

extension Platform {
    /// A pad counts as a phone in a limit by platform: both run the same system, unless the app gives one of them its
    /// own number (CHAT-5).
    fileprivate var family: Platform { self == .ipad ? .ios : self }
}

extension ServerPolicy {
    /// The group that a device belongs to; nil if no other device excludes it.
    func group(of device: Device) -> DeviceGroup? {
        let platform = device.platform
        switch exclusion {
        case .single: return .all
        case .unlimited, .none: return nil
        case .mobileDesktop:
            switch platform {
            case .ios, .android, .windowsPhone, .ipad, .harmony: return .mobile
            case .windows, .macos, .linux, .web, .miniProgram: return .desktop
            case .unknown, .server: return nil
            }
        case .dual: return platform == .web ? .web : .notWeb
        case .multi:
            switch platform {
            case .ios, .android: return .mobile
            case .windows, .macos: return .desktop
            case .unknown, .linux, .web, .windowsPhone, .ipad, .miniProgram, .harmony, .server: return nil
            }
        case .perPlatform: return device.osType == 0 ? .platform(platform.family) : .osType(device.osType)
        }
    }

    /// Maximum number of devices of a group that are logged in together.
    var groupSlots: Int {
        switch exclusion {
        case .single, .mobileDesktop, .dual, .multi, .unlimited, .none: 1
        case .perPlatform: deviceCountMax
        }
    }

    /// Maximum number of devices of all groups that are logged in together; nil for no limit.
    var slots: Int? {
        switch exclusion {
        case .mobileDesktop, .multi, .unlimited: deviceCountMax
        case .single, .dual, .none, .perPlatform: nil
        }
    }
}
