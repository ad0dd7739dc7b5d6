/// The conditions of a message search, read once from its arguments.
package struct MessageFilter {
    private let from: Int64
    private let to: Int64
    private let kinds: [Int]
    private let senders: [String]
    private let keywords: Keywords
    /// The keywords of the request, unchanged.
    package let words: [String]

    package init(_ request: LocalRequest) {
        from = request.number("startTime")
        to = request.number("endTime")
        kinds = request.choices("messageTypes")
        senders = request.list("senderUserIDs")
        words = request.list("keywords")
        keywords = Keywords(words)
    }

    /// True if a message meets all conditions of the search.
    package func matches(_ message: LocalMessage) -> Bool {
        (from == 0 || message.timestamp >= from) && (to == 0 || message.timestamp <= to)
            && (kinds.isEmpty || kinds.contains(Int(message.kind.rawValue)))
            && (senders.isEmpty || senders.contains(message.sender)) && hasKeywords(message.text, message.file?.name)
    }

    /// True if every keyword occurs in the message's text or in the name of its file.
    package func hasKeywords(_ text: String, _ fileName: String?) -> Bool {
        keywords.occur(in: fileName.map { [text, $0] } ?? [text])
    }
}
