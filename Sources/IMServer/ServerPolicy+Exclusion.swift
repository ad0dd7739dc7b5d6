import IMProtocol

// Which devices cannot be online together: the devices of one group, beyond the group's places (NIM-11, ZIM-7, CHAT-2).

/// Devices that compete for the same places.
enum DeviceGroup: Hashable, Sendable, Codable {
    case all
    case mobile
    case desktop
    case web
    case notWeb
    case platform(Platform)
    /// A platform of the app's own (CHAT-5).
    case osType(UInt32)
}

extension Platform {
    /// A pad is a phone to a server that counts by platform: both run the same system, unless the app gives one of them
    /// a number of its own (CHAT-5).
    fileprivate var family: Platform { self == .ipad ? .ios : self }
}

extension ServerPolicy {
    /// The group of devices that a device belongs to; nil where nobody excludes it.
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

    /// How many devices of a group may be logged in together.
    var groupPlaces: Int {
        switch exclusion {
        case .single, .mobileDesktop, .dual, .multi, .unlimited, .none: 1
        case .perPlatform: deviceCountMax
        }
    }

    /// How many devices of all groups may be logged in together; nil for no bound.
    var places: Int? {
        switch exclusion {
        case .mobileDesktop, .multi, .unlimited: deviceCountMax
        case .single, .dual, .none, .perPlatform: nil
        }
    }
}
