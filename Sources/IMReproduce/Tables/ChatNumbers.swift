extension ChatTable {
    /// The numbers of other clients than those that the profile was measured with.
    var knownNumbers: [ClientNumbers] {
        [
            // The first retry follows at once, and one host is tried.
            ClientNumbers(
                client: [
                    .init("retry-delays-ms", "1000,2000,4000,8000,16000,32000"), .init("retry-jitter-per-mille", "200"),
                    .init("first-retry-waits", "false"), .init("kick-logs-out", "false"), .init("host-count", "1"),
                    .init("heartbeat-interval-ms", "30000"), .init("heartbeat-growth-ms", "0"),
                ],
                server: [.init("silence-limit-ms", "90000"), .init("heartbeat-interval-ms", "30000")])
        ]
    }
}
