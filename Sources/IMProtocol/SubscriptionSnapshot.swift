/// The complete state that the server should have for a client's login. The client sends it after a reconnect or after
/// frames were lost, and the server makes its own state equal to it (C-15). A large snapshot is sent in several frames.
public struct SubscriptionSnapshot: Hashable, Sendable, Codable {
    /// The channels of the login.
    public var channels: [String]
    /// The users of whose presence the client is notified.
    public var watched: [String]
    /// The attributes of the user; nil if the server's attributes must not change.
    public var attributes: [AnswerField]?

    /// Creates a snapshot.
    public init(channels: [String] = [], watched: [String] = [], attributes: [AnswerField]? = nil) {
        self.channels = channels
        self.watched = watched
        self.attributes = attributes
    }

    /// The frames of the snapshot, which have the same request number.
    public func frames(request: UInt32) -> [Frame] {
        let names = channels.map { ($0, isChannel: true) } + watched.map { ($0, isChannel: false) }
        var parts = FramePages.split(names) { $0.0.utf8.count }.map { page in
            SubscriptionSnapshot(
                channels: page.filter(\.isChannel).map(\.0), watched: page.filter { !$0.isChannel }.map(\.0))
        }
        // The attributes are in a separate frame, because they may need a whole one.
        if let attributes {
            if names.isEmpty { parts.removeAll() }
            parts.append(SubscriptionSnapshot(attributes: attributes))
        }
        return FramePages.frames(request: request, parts.map(FrameBody.settle))
    }

    /// Adds the next part of the same snapshot.
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
