import AppStandIns
import Foundation

// Presence. Not simulated: each call ends with an error, which the session notes, and the delegate is never called.
//
// All of it lives on the job thread of virtual time, so it is Sendable.

public final class AgoraChatPresenceStatusDetail: NSObject, @unchecked Sendable {
    public var device = ""
    public var status = 0
}

public final class AgoraChatPresence: NSObject, @unchecked Sendable {
    public var publisher = ""
    public var statusDetails: [AgoraChatPresenceStatusDetail]?
    public var statusDescription: String?
    public var lastTime: UInt = 0
    public var expirytime: UInt = 0
}

public protocol AgoraChatPresenceManagerDelegate: AnyObject {
    func presenceStatusDidChanged(_ presences: [AgoraChatPresence])
}

extension AgoraChatPresenceManagerDelegate {
    public func presenceStatusDidChanged(_ presences: [AgoraChatPresence]) {}
}

public final class AgoraChatPresenceManager: @unchecked Sendable {
    private let core: ChatCore

    init(_ core: ChatCore) { self.core = core }

    public func add(
        _ aDelegate: any AgoraChatPresenceManagerDelegate, delegateQueue aQueue: SimulatedDispatchQueue?
    ) {}
    public func remove(_ aDelegate: any AgoraChatPresenceManagerDelegate) {}

    public func publishPresence(
        withDescription description: String?, completion: ((AgoraChatError?) -> Void)?
    ) {
        core.refuse("publishPresence") { completion?($0) }
    }

    public func subscribe(
        _ members: [String], expiry: Int, completion: (([AgoraChatPresence]?, AgoraChatError?) -> Void)?
    ) {
        core.refuse("subscribe") { completion?(nil, $0) }
    }

    public func unsubscribe(_ members: [String], completion: ((AgoraChatError?) -> Void)? = nil) {
        core.refuse("unsubscribe") { completion?($0) }
    }

    public func fetchPresenceStatus(
        _ members: [String], completion: (([AgoraChatPresence]?, AgoraChatError?) -> Void)?
    ) {
        core.refuse("fetchPresenceStatus") { completion?(nil, $0) }
    }
}
