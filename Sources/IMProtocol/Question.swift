/// The queries that a client with a login can send to the server.
public enum Question: Hashable, Sendable, Codable {
    /// The members of a channel.
    case members(channel: String)
    /// The attributes of a user. An empty name means the client's own user.
    case attributes(user: String)
    /// The attributes of a channel.
    case channelAttributes(channel: String)
    /// The data that the server has about users, such as their names (ZIM-9).
    case users([String])
}
