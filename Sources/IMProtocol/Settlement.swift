/// Everything that a client's login holds on the server, as the client knows it. Sent whole, so that both agree again
/// whatever was lost before (C-15); where it is larger than a frame may be, it comes in several.
public struct Settlement: Hashable, Sendable, Codable {
    /// Channels that the login is in.
    public var channels: [String]
    /// Users whose presence the connection watches.
    public var watched: [String]
    /// The user's own attributes; nil where they are not in question.
    public var attributes: [AnswerField]?

    /// A settlement; the attributes stay as they are unless some are given.
    public init(channels: [String] = [], watched: [String] = [], attributes: [AnswerField]? = nil) {
        self.channels = channels
        self.watched = watched
        self.attributes = attributes
    }

    /// The frames that carry it under one request number.
    public func frames(request: UInt32) -> [Frame] {
        let names = channels.map { ($0, isChannel: true) } + watched.map { ($0, isChannel: false) }
        var parts = FramePages.split(names) { $0.0.utf8.count }.map { page in
            Settlement(
                channels: page.filter(\.isChannel).map(\.0), watched: page.filter { !$0.isChannel }.map(\.0))
        }
        // A frame of their own: they may fill one.
        if let attributes {
            if names.isEmpty { parts.removeAll() }
            parts.append(Settlement(attributes: attributes))
        }
        return FramePages.frames(request: request, parts.map(FrameBody.settle))
    }

    /// Takes in the next part of the same settlement.
    public mutating func add(_ part: Settlement) {
        channels += part.channels
        watched += part.watched
        if let attributes = part.attributes { self.attributes = attributes }
    }
}

extension Settlement {
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
