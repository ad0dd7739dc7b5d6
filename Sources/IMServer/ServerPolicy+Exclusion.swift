import IMProtocol

// The exclusion of devices: devices of the same group exclude each other if there are more of them than the group has
// slots (NIM-11, ZIM-7, CHAT-2).

/// A group of devices that share the same slots.
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
    /// In a limit per platform, a pad counts as a phone: both run the same system. The app can separate them (CHAT-5).
    fileprivate var family: Platform { self == .ipad ? .ios : self }
}

extension ServerPolicy {
    /// The group of a device; nil if no other device excludes it.
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

    /// The maximum number of devices of one group that are logged in at the same time.
    var groupSlots: Int {
        switch exclusion {
        case .single, .mobileDesktop, .dual, .multi, .unlimited, .none: 1
        case .perPlatform: deviceCountMax
        }
    }

    /// The maximum number of devices of all groups that are logged in at the same time; nil for no limit.
    var slots: Int? {
        switch exclusion {
        case .mobileDesktop, .multi, .unlimited: deviceCountMax
        case .single, .dual, .none, .perPlatform: nil
        }
    }
}
