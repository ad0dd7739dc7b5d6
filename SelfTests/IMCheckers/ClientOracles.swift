import IMClient
import IMSession

/// The checkers of one client, and the trace that they share. `@exclusivity(unchecked)`: see `WorldCore`.
final class ClientOracles {
    let trace: ClientTrace
    /// The checkers are values, so that a copy of the world has its own copies.
    @exclusivity(unchecked) var each: Each

    struct Each {
        var commands: CommandOracle
        var calls: CallOracle
        var links: LinkOracle
        var retries: RetryOracle
        var attempts: AttemptOracle
        var heartbeats: HeartbeatOracle
        var localData: LocalDataOracle
        var kicked = KickedOracle()
        var presence = PresenceOracle()
        var tokens: TokenOracle
        var offlineTokens = OfflineTokenOracle()
        var loginCalls: LoginCallOracle
        var autologins = AutologinOracle()
        var logouts: LogoutOracle
        var credentials = CredentialOracle()
        var members = MemberOracle()
        var restores = RestoreOracle()
        var offlineCalls = OfflineCallOracle()
        var failedMessages: FailedMessageOracle
        var syncAnnouncements = SyncAnnouncementOracle()
        var things = ThingsOracle()
        var changes = ChangeOracle()
        var drafts = DraftOracle()
        var reasons = ReasonOracle()
        var steps: LoginStepOracle
        var conversations: ConversationOracle
        var resyncs = ResyncOracle()
        var tellings = TellingOracle()
        var callRates: CallRateOracle
        var sendOrder = SendOrderOracle()
        var stateTold = StateToldOracle()
        var vendorNumbers: VendorNumberOracle
        /// Nil if the profile has no tree.
        var tree: ClientTreeOracles?

        init(_ policy: ClientPolicy) {
            commands = CommandOracle(policy)
            calls = CallOracle(policy)
            links = LinkOracle(policy)
            retries = RetryOracle(policy)
            attempts = AttemptOracle(policy)
            heartbeats = HeartbeatOracle(policy)
            localData = LocalDataOracle(policy)
            tokens = TokenOracle(policy)
            logouts = LogoutOracle(policy)
            failedMessages = FailedMessageOracle(policy)
            steps = LoginStepOracle(policy)
            conversations = ConversationOracle(policy)
            loginCalls = LoginCallOracle(policy)
            callRates = CallRateOracle(policy)
            vendorNumbers = VendorNumberOracle(policy)
            if policy.features.contains(.tree) { tree = ClientTreeOracles() }
        }
    }

    init(_ policy: ClientPolicy) {
        trace = ClientTrace()
        each = Each(policy)
    }

    init(copying other: ClientOracles) {
        trace = ClientTrace(copying: other.trace)
        each = other.each
    }
}
