/// The name of an event's field, in displays, commands, filters and exports. Every field name is a case, except names
/// that users choose and the keys of a server's policy.
package enum FieldName: String, CaseIterable, Sendable {
    // Names that have one meaning in all events, in the order of the help.
    case user, device, platform, request, epoch, credential, mode, by, kicked, step, link, fault, network, app
    case sleptMs = "slept-ms"
    case said, phase, presence, id, operation, path, value, members, member, message, error, synced, what

    // Names whose meaning depends on the event.
    case accounts, action, all, attributes, autologin
    case autologinFailed = "autologin-failed"
    case byMs = "by-ms"
    case bytes, change, channel
    case channelAttributes = "channel-attributes"
    case channels, clock, command, count, detail, devices, done, expired, ext, first, forced, from, ids
    case events, expression, hash, hidden
    case inMs = "in-ms"
    case joined
    case keepPush = "keep-push"
    case key, kind, last
    case lastResult = "last-result"
    case lastUser = "last-user"
    case listen, more, new, offline, on, others, page
    case previousKey = "previous-key"
    case profile, query, read, reason
    case reconnectDelay = "reconnect-delay"
    case retryCountMax = "maxAutoLoginRetryTimes"
    case refusedChannels = "refused-channels"
    case refusedWatches = "refused-watches"
    case remainingMs = "remaining-ms"
    case seed, status, sync, target, text, to, token, type, verb, users
    case userName = "user-name"
    case write
    case wasGone = "was-gone"
    case watched
}
