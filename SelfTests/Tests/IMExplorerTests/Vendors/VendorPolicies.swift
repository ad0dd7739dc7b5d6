import IMClient
import IMProfiles
import IMServer
import SansIO

/// Checks that the default policies have the values of the vendor's documents. Values that the documents do not specify
/// are not checked.
struct VendorPolicies {
    private let client: ClientPolicy
    private let server: ServerPolicy
    private var violations: [VendorDifference] = []

    static func violations(of dialect: any Dialect) -> [VendorDifference] {
        var policies = VendorPolicies(client: dialect.clientPolicy, server: dialect.serverPolicy)
        switch dialect.profile {
        case "nim": policies.checkNIM()
        case "zim": policies.checkZIM()
        case "agora-chat": policies.checkChat()
        case "agora-rtm": policies.checkRTM()
        case "wilddog": policies.checkWilddog()
        default: break
        }
        return policies.violations
    }

    private init(client: ClientPolicy, server: ServerPolicy) {
        self.client = client
        self.server = server
    }

    private mutating func expect(_ isSo: Bool, _ rule: String, _ what: String) {
        guard !isSo else { return }
        violations.append(VendorDifference(rule, "a number or choice is another than its vendor's", what))
    }

    /// The defaults of the project, which apply if the vendor does not specify a login time limit, heartbeats or a
    /// silence limit.
    private mutating func expectDefaultTimes() {
        expect(client.attemptTimeLimit == .seconds(10), "C-10", "ten seconds for a login")
        let isBeating = client.heartbeatInterval == .seconds(30) && server.silenceLimit == .seconds(90)
        expect(isBeating, "C-12", "a heartbeat in thirty seconds, an end after ninety")
    }

    private mutating func checkNIM() {
        expectDefaultTimes()
        expect(server.checksLastDevice, "NIM-4", "the last device counts")
        expect(client.failedLoginForbidsAutologin, "NIM-3", "a login that failed forbids automatic ones")
        expect(client.retryDelays == [2, 4, 6, 8, 16, 32, 64].map(Interval.seconds), "NIM-5", "the waits")
        expect(client.retryCountMax == 0, "NIM-6", "retries without an end")
        let isMinute = server.loginRateWindow == .seconds(60) && server.loginRatePenalty == .seconds(60)
        expect(server.loginRateMax == 10 && isMinute, "NIM-8", "ten logins a minute")
        expect(client.announcesLoginSteps, "NIM-9", "steps are told")
        let isShort = client.logoutTimeLimit == .seconds(3) && client.requestTimeLimit > client.logoutTimeLimit
        expect(isShort, "NIM-10", "three seconds for a logout")
        expect(client.logoutReportsUnreachedServer && !client.logoutNeedsServer, "NIM-10", "a logout that always ends")
        expect(server.exclusion == .mobileDesktop && server.deviceCountMax == 10, "NIM-11", "who excludes whom")
        expect(client.announcesDevices, "NIM-13", "other devices are told")
        expect(client.sync == .beforeOnline, "NIM-14", "the sync")
    }

    private mutating func checkZIM() {
        expect(client.offlineTokenMin == .seconds(30), "ZIM-1", "thirty seconds of a token")
        expect(client.attemptTimeLimit == .seconds(10), "ZIM-4", "ten seconds for a login")
        let isBeating = client.heartbeatInterval == .seconds(10) && server.silenceLimit == .seconds(35)
        expect(isBeating, "ZIM-5", "a heartbeat in ten seconds, an end after 35")
        expect(client.tokenWarning == .before(.seconds(30)), "ZIM-6", "a warning thirty seconds before")
        expect(client.tokenExpiryEndsLogin && server.tokenExpiryEndsLogin, "ZIM-6", "a token's end is the login's")
        expect(server.exclusion == .single && server.deviceCountMax == 10, "ZIM-7", "who excludes whom")
        expect(client.messageTimeLimit == .seconds(30), "ZIM-10", "thirty seconds for a message")
    }

    private mutating func checkChat() {
        expect(client.attemptTimeLimit == .seconds(10), "C-10", "ten seconds for a login")
        let longest = client.longestHeartbeatInterval
        let isBeating = client.heartbeatInterval == .seconds(120) && longest == .seconds(270)
        expect(isBeating && client.heartbeatGrowth == .seconds(45), "C-12", "a heartbeat that grows up to 270 s")
        expect(server.silenceLimit > longest, "C-12", "an end after the longest heartbeat")
        expect(client.firstRetryWaits, "C-9", "a first retry that waits")
        expect(client.kickLogsOut, "CHAT-10", "a kick that logs out")
        expect(server.exclusion == .perPlatform && server.deviceCountMax == 4, "CHAT-2", "four devices a platform")
        expect(server.takenPlace == .kicksCurrent, "CHAT-3", "who reconnects takes the place")
        expect(client.osTypes == 1...100, "CHAT-5", "the platforms' numbers")
        expect(server.hasAccountCalls, "CHAT-6", "calls from outside a login")
        expect(server.hasLoginIDs, "CHAT-7", "login ids")
        expect(server.copiesToOwnDevices && server.tellsOperations, "CHAT-8", "all devices are told")
        expect(server.sendsReceipts, "CHAT-8", "receipts come to the sender's devices")
        expect(client.tokenWarning == .afterPerMille(800), "CHAT-10", "a warning at four fifths")
        expect(server.passwordChangeEndsLogins, "CHAT-10", "a new password ends logins")
        expect(client.tokenExpiryEndsLogin && server.tokenExpiryEndsLogin, "CHAT-10", "a token's end is the login's")
        expect(client.logoutNeedsServer, "CHAT-11", "a logout needs the server")
        expect(client.sync == .whileOnline, "CHAT-12", "the sync")
    }

    private mutating func checkRTM() {
        expect(client.attemptTimeLimit == .seconds(6), "RTM-2", "six seconds for a login")
        expect(client.interruptionGrace == .seconds(4), "RTM-3", "four seconds of silence")
        expect(server.presenceHold == .seconds(30), "RTM-4", "thirty seconds of presence")
        expect(
            !client.tokenExpiryEndsLogin && !server.tokenExpiryEndsLogin, "RTM-5", "a token ends no login")
        let isSingle = server.exclusion == .single && server.endsOtherInstances
        expect(isSingle && client.kickedNeedsLogout, "RTM-6", "one instance of a user")
        expect(client.logoutWithoutLoginFails, "RTM-7", "a logout of nobody")
        let isReplaying = server.channelReplayMax == 32 && server.channelReplayAge == .seconds(30)
        expect(isReplaying, "RTM-8", "32 messages of thirty seconds")
        expect(client.messageTimeLimit == .seconds(10), "RTM-8", "ten seconds for a message")
        expect(client.channelCountMax == 20, "RTM-9", "twenty channels")
        expect(server.loginRateMax == 2 && server.loginRateWindow == .seconds(1), "RTM-9", "two logins a second")
        expect(client.requestTimeLimit == .seconds(5), "RTM-9", "five seconds for a join")
        let rates = [
            CallRate(.joins, 50, within: .seconds(3)), CallRate(.joinsOfOneChannel, 2, within: .seconds(5)),
            CallRate(.watches, 10, within: .seconds(5)), CallRate(.renewals, 2, within: .seconds(1)),
        ]
        expect(rates.allSatisfy(client.callRates.contains), "RTM-9", "how often calls may be made")
        expect(client.watchedCountMax == 512, "RTM-9", "512 users to watch")
    }

    private mutating func checkWilddog() {
        expect(server.exclusion == .none, "SYNC-1", "nobody excludes anybody")
        let isBeating = client.heartbeatInterval == .seconds(20) && server.silenceLimit == .seconds(60)
        expect(isBeating, "SYNC-9", "a heartbeat in twenty seconds, an end after sixty")
        let isBounded = server.treeWritesMax == 120 && server.treeWritesWindow == .seconds(5)
        expect(isBounded, "SYNC-10", "120 changes in five seconds")
        expect(client.retryCountMax == 0, "SYNC-10", "retries without an end")
    }
}
