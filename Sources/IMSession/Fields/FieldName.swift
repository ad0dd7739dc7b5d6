/// What a field is called, wherever it is shown, typed, searched for or exported. Every name that an event can have
/// stands here once, but for those of users' own making and for the keys of a server's policy.
package enum FieldName: String, CaseIterable, Sendable {
    // With a meaning of their own, in the order in which help has them.
    case user, device, platform, request, epoch, credential, mode, by, kicked, step, link, fault, network, app
    case sleptMs = "slept-ms"
    case said, phase, presence, id, operation, path, value, members, member, message, error, synced, what

    // With several meanings, or with the words of what they stand in.
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
