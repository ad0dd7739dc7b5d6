extension ChatCauses {
    /// The settings of other known clients.
    var knownNumbers: [ClientNumbers] {
        [
            // A client whose first retry is immediate, and which has one host.
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
