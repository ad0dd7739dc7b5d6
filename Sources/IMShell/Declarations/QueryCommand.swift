import ArgumentParser
import IMClient
import IMDebugger
import IMText

struct QueryCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Query the client's state, or its server.",
        discussion: Discussion.examples(
            "query state", "@pad query devices", "query items message", "query members lobby", "query attributes bob",
            "query history bob",
            "query devices --user alice --password-file alice.password",
            notes: """
                The client sends members, attributes, channel-attributes and each query with --user (which needs no \
                login) to the server. The answer comes later: 'expect result query member=bob within 5s'. The client \
                answers every other query itself, at once.
                """))

    @Argument(help: ArgumentHelp("The subject of the query.", valueName: "what"))
    var subject: QuerySubject

    @Argument(
        help: ArgumentHelp(
            "A channel for members and channel-attributes, a user for attributes, a kind for items, a user or group for history.",
            valueName: "detail"))
    var detail: TextArgument?

    @Option(help: "Query without a login, as this user.")
    var user: NameArgument?

    @OptionGroup var credentials: CredentialOptions

    func validate() throws {
        guard user == nil || subject == .devices else {
            throw ValidationError("without a login, only 'query devices --user U' is possible")
        }
        guard user != nil || credentials.source == .provisioned else {
            throw ValidationError("a credential needs --user; a logged-in client needs no credential")
        }
    }

    mutating func resolve() throws(WordError) {
        switch (subject.detail, detail?.value) {
        case (.none, nil), (.kind, nil), (.user, _), (.channel, .some), (.conversation, .some): break
        case (.conversation, nil):
            throw WordError(1, "the conversation's user or group is missing", hint: "query history bob")
        case (.none, .some(let word)):
            throw WordError(1, "unexpected '\(word)': nothing follows 'query \(subject.rawValue)'")
        case (.kind, .some(let word)):
            guard !QuerySubject.itemKinds.contains(word) else { break }
            throw WordError(
                1, "'\(word)' is not a kind of item", hint: Suggestion.hint(for: word, among: QuerySubject.itemKinds))
        case (.channel, nil): throw WordError(1, "the channel is missing", hint: "query \(subject.rawValue) lobby")
        }
    }

    var nature: CommandNature {
        switch subject.detail {
        case .channel, .user: .queriesServer
        case .none, .kind, .conversation: user == nil ? .queriesState : .queriesServer
        }
    }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let request = QueryRequest(
            subject: subject, detail: detail?.value, user: user?.value, credential: credentials.source)
        try shell.query(request, client: client)
    }
}

extension QuerySubject {
    /// The kind of argument that follows a subject.
    package enum Detail: Hashable {
        case none, channel, user, kind
        /// The user or group with whom the conversation is.
        case conversation
    }

    package var detail: Detail {
        switch self {
        case .members, .channelAttributes: .channel
        case .attributes: .user
        case .items: .kind
        case .history: .conversation
        case .state, .account, .devices, .selfIDs, .clients, .steps, .config, .pending, .localData, .channels, .failed,
            .listeners,
            .conversations, .friends, .groups, .blacklist, .unread:
            .none
        }
    }

    /// The names of the kinds of data for `query items`.
    static let itemKinds = LocalItem.Kind.allCases.map(\.name)
}
