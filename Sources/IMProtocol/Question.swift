/// The queries of a logged-in client to its server.
public enum Question: Hashable, Sendable, Codable {
    /// The members of a channel.
    case members(channel: String)
    /// A user's attributes; an empty name means those of the client's own user.
    case attributes(user: String)
    /// The attributes of a channel.
    case channelAttributes(channel: String)
    /// The server's data of users, such as their names (ZIM-9).
    case users([String])
}
