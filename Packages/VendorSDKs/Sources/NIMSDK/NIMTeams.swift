import Foundation
import SimulatedApp

// Teams and broadcasts. Not simulated: none exist, and the delegates are never called.
//
// All of it lives on the job thread of virtual time, so it is Sendable.

public final class NIMTeam: NSObject, @unchecked Sendable {
    public let teamId: String? = nil
    public let teamName: String? = nil
    public let memberNumber = 0
}

public protocol NIMTeamManagerDelegate: AnyObject {
    func onTeamAdded(_ team: NIMTeam)
    func onTeamUpdated(_ team: NIMTeam)
    func onTeamRemoved(_ team: NIMTeam)
    func onTeamMemberChanged(_ team: NIMTeam)
}

extension NIMTeamManagerDelegate {
    public func onTeamAdded(_ team: NIMTeam) {}
    public func onTeamUpdated(_ team: NIMTeam) {}
    public func onTeamRemoved(_ team: NIMTeam) {}
    public func onTeamMemberChanged(_ team: NIMTeam) {}
}

public final class NIMTeamManager: @unchecked Sendable {
    private let client: SDKClient
    private let delegates = DelegateList<any NIMTeamManagerDelegate>()

    init(_ client: SDKClient) { self.client = client }

    public func add(_ delegate: any NIMTeamManagerDelegate) { delegates.add(delegate) }
    public func remove(_ delegate: any NIMTeamManagerDelegate) { delegates.remove(delegate) }
    public func allMyTeams() -> [NIMTeam]? { client.isDataOpen ? [] : nil }
    public func team(byId teamId: String) -> NIMTeam? { nil }
    public func isMyTeam(_ teamId: String) -> Bool { false }
}

public final class NIMBroadcastMessage: NSObject, @unchecked Sendable {
    public let broadcastId: Int64 = 0
    public let content: String? = nil
    public let timestamp: TimeInterval = 0
}

public protocol NIMBroadcastManagerDelegate: AnyObject {
    func onReceive(_ broadcastMessage: NIMBroadcastMessage)
}

extension NIMBroadcastManagerDelegate {
    public func onReceive(_ broadcastMessage: NIMBroadcastMessage) {}
}

public final class NIMBroadcastManager: @unchecked Sendable {
    private let delegates = DelegateList<any NIMBroadcastManagerDelegate>()

    init() {}

    public func add(_ delegate: any NIMBroadcastManagerDelegate) { delegates.add(delegate) }
    public func remove(_ delegate: any NIMBroadcastManagerDelegate) { delegates.remove(delegate) }
}
