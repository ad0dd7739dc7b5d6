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
        violations.append(VendorDifference(rule, "a policy value differs from the vendor's", what))
    }

    /// The defaults of the project, which apply if the vendor does not specify a login time limit, heartbeats or a
    /// silence limit.
    private mutating func expectDefaultTimes() {
        expect(client.attemptTimeLimit == .seconds(10), "C-10", "a login has ten seconds")
        let isBeating = client.heartbeatInterval == .seconds(30) && server.silenceLimit == .seconds(90)
        expect(isBeating, "C-12", "a heartbeat every 30 s, a connection ends after 90 s of silence")
    }

    private mutating func checkNIM() {
        expectDefaultTimes()
        expect(server.checksLastDevice, "NIM-4", "an automatic login needs the last device")
        expect(client.failedLoginForbidsAutologin, "NIM-3", "a failed login forbids automatic logins")
        expect(client.retryDelays == [2, 4, 6, 8, 16, 32, 64].map(Interval.seconds), "NIM-5", "the retry delays")
        expect(client.retryCountMax == 0, "NIM-6", "no limit of retries")
        let isMinute = server.loginRateWindow == .seconds(60) && server.loginRatePenalty == .seconds(60)
        expect(server.loginRateMax == 10 && isMinute, "NIM-8", "ten logins per minute")
        expect(client.announcesLoginSteps, "NIM-9", "the app is notified of login steps")
        let isShort = client.logoutTimeLimit == .seconds(3) && client.requestTimeLimit > client.logoutTimeLimit
        expect(isShort, "NIM-10", "a logout has three seconds")
        expect(
            client.logoutReportsUnreachedServer && !client.logoutNeedsServer, "NIM-10",
            "a logout never needs the server")
        expect(server.exclusion == .mobileDesktop && server.deviceCountMax == 10, "NIM-11", "the exclusion of devices")
        expect(client.announcesDevices, "NIM-13", "the app is notified of other devices")
        expect(client.sync == .beforeOnline, "NIM-14", "the time of the sync")
    }

    private mutating func checkZIM() {
        expect(client.offlineTokenMin == .seconds(30), "ZIM-1", "an offline login needs a token with 30 s left")
        expect(client.attemptTimeLimit == .seconds(10), "ZIM-4", "a login has ten seconds")
        let isBeating = client.heartbeatInterval == .seconds(10) && server.silenceLimit == .seconds(35)
        expect(isBeating, "ZIM-5", "a heartbeat every 10 s, a connection ends after 35 s of silence")
        expect(client.tokenWarning == .before(.seconds(30)), "ZIM-6", "a notice 30 s before the expiry")
        expect(
            client.tokenExpiryEndsLogin && server.tokenExpiryEndsLogin, "ZIM-6", "the expiry of a token ends the login")
        expect(server.exclusion == .single && server.deviceCountMax == 10, "ZIM-7", "the exclusion of devices")
        expect(client.messageTimeLimit == .seconds(30), "ZIM-10", "a message has thirty seconds")
    }

    private mutating func checkChat() {
        expect(client.attemptTimeLimit == .seconds(10), "C-10", "a login has ten seconds")
        let longest = client.longestHeartbeatInterval
        let isBeating = client.heartbeatInterval == .seconds(120) && longest == .seconds(270)
        expect(isBeating && client.heartbeatGrowth == .seconds(45), "C-12", "the heartbeat interval grows up to 270 s")
        expect(server.silenceLimit > longest, "C-12", "a connection ends only after the longest heartbeat interval")
        expect(client.firstRetryWaits, "C-9", "the first retry has a delay")
        expect(client.kickLogsOut, "CHAT-10", "a kick logs the user out")
        expect(server.exclusion == .perPlatform && server.deviceCountMax == 4, "CHAT-2", "four devices per platform")
        expect(server.takenPlace == .kicksCurrent, "CHAT-3", "a returning device takes the slot")
        expect(client.osTypes == 1...100, "CHAT-5", "the numbers of platforms")
        expect(server.hasAccountCalls, "CHAT-6", "account calls without a login")
        expect(server.hasLoginIDs, "CHAT-7", "login ids")
        expect(
            server.copiesToOwnDevices && server.tellsOperations, "CHAT-8",
            "all devices of a user get messages and operations")
        expect(server.sendsReceipts, "CHAT-8", "the sender's devices get receipts")
        expect(client.tokenWarning == .afterPerMille(800), "CHAT-10", "a notice after 80 % of the token's life")
        expect(server.passwordChangeEndsLogins, "CHAT-10", "a password change ends logins")
        expect(
            client.tokenExpiryEndsLogin && server.tokenExpiryEndsLogin, "CHAT-10",
            "the expiry of a token ends the login")
        expect(client.logoutNeedsServer, "CHAT-11", "a logout needs the server")
        expect(client.sync == .whileOnline, "CHAT-12", "the time of the sync")
    }

    private mutating func checkRTM() {
        expect(client.attemptTimeLimit == .seconds(6), "RTM-2", "a login has six seconds")
        expect(client.interruptionGrace == .seconds(4), "RTM-3", "an interruption is reported after four seconds")
        expect(server.presenceHold == .seconds(30), "RTM-4", "a user stays present for thirty seconds")
        expect(
            !client.tokenExpiryEndsLogin && !server.tokenExpiryEndsLogin, "RTM-5", "the expiry of a token ends no login"
        )
        let isSingle = server.exclusion == .single && server.endsOtherInstances
        expect(isSingle && client.kickedNeedsLogout, "RTM-6", "one instance per user")
        expect(client.logoutWithoutLoginFails, "RTM-7", "a logout without a login fails")
        let isReplaying = server.channelReplayMax == 32 && server.channelReplayAge == .seconds(30)
        expect(isReplaying, "RTM-8", "32 missed messages of the last 30 s")
        expect(client.messageTimeLimit == .seconds(10), "RTM-8", "a message has ten seconds")
        expect(client.channelCountMax == 20, "RTM-9", "twenty channels")
        expect(server.loginRateMax == 2 && server.loginRateWindow == .seconds(1), "RTM-9", "two logins per second")
        expect(client.requestTimeLimit == .seconds(5), "RTM-9", "a join has five seconds")
        let rates = [
            CallRate(.joins, 50, within: .seconds(3)), CallRate(.joinsOfOneChannel, 2, within: .seconds(5)),
            CallRate(.watches, 10, within: .seconds(5)), CallRate(.renewals, 2, within: .seconds(1)),
        ]
        expect(rates.allSatisfy(client.callRates.contains), "RTM-9", "the rate limits of calls")
        expect(client.watchedCountMax == 512, "RTM-9", "at most 512 watched users")
    }

    private mutating func checkWilddog() {
        expect(server.exclusion == .none, "SYNC-1", "no exclusion of devices")
        let isBeating = client.heartbeatInterval == .seconds(20) && server.silenceLimit == .seconds(60)
        expect(isBeating, "SYNC-9", "a heartbeat every 20 s, a connection ends after 60 s of silence")
        let isBounded = server.treeWritesMax == 120 && server.treeWritesWindow == .seconds(5)
        expect(isBounded, "SYNC-10", "120 changes in five seconds")
        expect(client.retryCountMax == 0, "SYNC-10", "no limit of retries")
    }
}
