import IMClient
import IMSession

/// The checkers of one client, and the trace that they share. `@exclusivity(unchecked)`: see `WorldCore`.
final class ClientCheckers {
    let trace: ClientTrace
    /// The checkers are values, so that a copy of the world has its own copies.
    @exclusivity(unchecked) var each: Each

    struct Each {
        var commands: CommandChecker
        var calls: CallChecker
        var links: LinkChecker
        var retries: RetryChecker
        var attempts: AttemptChecker
        var heartbeats: HeartbeatChecker
        var localData: LocalDataChecker
        var kicked = KickedChecker()
        var presence = PresenceChecker()
        var tokens: TokenChecker
        var offlineTokens = OfflineTokenChecker()
        var loginCalls: LoginCallChecker
        var autologins = AutologinChecker()
        var logouts: LogoutChecker
        var credentials = CredentialChecker()
        var members = MemberChecker()
        var restores = RestoreChecker()
        var offlineCalls = OfflineCallChecker()
        var failedMessages: FailedMessageChecker
        var syncAnnouncements = SyncAnnouncementChecker()
        var syncItems = SyncItemChecker()
        var changes = ChangeChecker()
        var drafts = DraftChecker()
        var reasons = ReasonChecker()
        var steps: LoginStepChecker
        var conversations: ConversationChecker
        var resyncs = ResyncChecker()
        var localChanges = LocalChangeChecker()
        var callRates: CallRateChecker
        var sendOrder = SendOrderChecker()
        var stateNotices = StateNoticeChecker()
        var vendorNumbers: VendorNumberChecker
        /// Nil if the profile has no tree.
        var tree: ClientTreeCheckers?

        init(_ policy: ClientPolicy) {
            commands = CommandChecker(policy)
            calls = CallChecker(policy)
            links = LinkChecker(policy)
            retries = RetryChecker(policy)
            attempts = AttemptChecker(policy)
            heartbeats = HeartbeatChecker(policy)
            localData = LocalDataChecker(policy)
            tokens = TokenChecker(policy)
            logouts = LogoutChecker(policy)
            failedMessages = FailedMessageChecker(policy)
            steps = LoginStepChecker(policy)
            conversations = ConversationChecker(policy)
            loginCalls = LoginCallChecker(policy)
            callRates = CallRateChecker(policy)
            vendorNumbers = VendorNumberChecker(policy)
            if policy.features.contains(.tree) { tree = ClientTreeCheckers() }
        }
    }

    init(_ policy: ClientPolicy) {
        trace = ClientTrace()
        each = Each(policy)
    }

    init(copying other: ClientCheckers) {
        trace = ClientTrace(copying: other.trace)
        each = other.each
    }
}
