/// What a logged-in client can ask its server.
public enum Question: Hashable, Sendable, Codable {
    /// Who is in a channel.
    case members(channel: String)
    /// A user's attributes; an empty name means one's own.
    case attributes(user: String)
    /// The attributes of a channel.
    case channelAttributes(channel: String)
    /// What the server has of users, such as their names (ZIM-9).
    case users([String])
}
