/// The complete server-side state of a client's login, from the client. It is sent as a whole, so that both sides agree
/// again, whatever was lost before (C-15); if it is larger than a frame, it is sent in several.
public struct SubscriptionSnapshot: Hashable, Sendable, Codable {
    /// The channels of the login.
    public var channels: [String]
    /// Users whose presence the connection watches.
    public var watched: [String]
    /// The user's own attributes; nil if they are not in question.
    public var attributes: [AnswerField]?

    /// A reconciliation; without attributes, those on the server stay as they are.
    public init(channels: [String] = [], watched: [String] = [], attributes: [AnswerField]? = nil) {
        self.channels = channels
        self.watched = watched
        self.attributes = attributes
    }

    /// The frames of the reconciliation, under one request number.
    public func frames(request: UInt32) -> [Frame] {
        let names = channels.map { ($0, isChannel: true) } + watched.map { ($0, isChannel: false) }
        var parts = FramePages.split(names) { $0.0.utf8.count }.map { page in
            SubscriptionSnapshot(
                channels: page.filter(\.isChannel).map(\.0), watched: page.filter { !$0.isChannel }.map(\.0))
        }
        // In a separate frame, because they may fill one.
        if let attributes {
            if names.isEmpty { parts.removeAll() }
            parts.append(SubscriptionSnapshot(attributes: attributes))
        }
        return FramePages.frames(request: request, parts.map(FrameBody.settle))
    }

    /// Adds the next part of the same reconciliation.
    public mutating func add(_ part: SubscriptionSnapshot) {
        channels += part.channels
        watched += part.watched
        if let attributes = part.attributes { self.attributes = attributes }
    }
}

extension SubscriptionSnapshot {
    init(_ wire: WireSettlement) {
        self.init(
            channels: wire.channels, watched: wire.watched,
            attributes: wire.hasAttributes_p ? wire.attributes.map(AnswerField.init) : nil)
    }

    var wire: WireSettlement {
        .with {
            $0.channels = channels
            $0.watched = watched
            if let attributes {
                $0.hasAttributes_p = true
                $0.attributes = attributes.map(\.wire)
            }
        }
    }
}
