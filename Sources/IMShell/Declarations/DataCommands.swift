import ArgumentParser
import IMDebugger
import IMLocalData
import IMProtocol
import IMText

/// A call on local data, named as ZIM or another vendor names it.
package struct CallArgument: WordArgument {
    var call: LocalCall
    /// The name that another vendor uses for the call; nil if the user typed ZIM's name.
    private var name: LocalCallName?

    package init?(word: String) {
        if let call = LocalCall(name: word) {
            self.call = call
        } else if let name = LocalCallName(word) {
            (call, self.name) = (name.call, name)
        } else {
            return nil
        }
    }

    /// The argument with the name that `LocalCall.declaration` uses instead of the vendor's name.
    func argument(_ pair: KeyValue) -> KeyValue {
        KeyValue(key: name?.argument(pair.key) ?? pair.key, value: pair.value)
    }

    /// The parameters of the call, with the names that the vendor uses.
    var parameters: [(name: String, parameter: LocalParameter)] {
        call.declaration.parameters.map { parameter in
            (name?.word(for: parameter.name) ?? parameter.name, parameter)
        }
    }

    /// The names of all calls, for completion and for suggestions.
    package static var allValueStrings: [String] { LocalCall.allCases.map(\.name) + LocalCallName.all.map(\.name) }
}

/// The kind of a change to a user's data, by its name.
struct ChangeArgument: WordArgument {
    var kind: ChangeKind

    init?(word: String) {
        guard let kind = ChangeKind.allCases.first(where: { $0.name == word }) else { return nil }
        self.kind = kind
    }

    static var allValueStrings: [String] { ChangeKind.allCases.map(\.name) }
}

extension ChangeArgument {
    /// Throws an error for an unknown field, a number out of range or an invalid flag. Without this check the server
    /// would ignore the field silently.
    func check(_ fields: [AssignmentArgument]) throws {
        let change = ChangeRecord(
            kind: kind, fields: fields.map { AnswerField(name: $0.pair.key, value: $0.pair.value) })
        guard let unknown = change.unknownField else {
            if let rejectionReason = change.valueRejection { throw ValidationError(rejectionReason) }
            return
        }
        let known = ChangeRecord.fields(of: kind)
        let hint = Suggestion.nearest(to: unknown, among: known).map { "; did you mean '\($0)'?" } ?? "."
        throw ValidationError(
            "\(kind.name) has no field '\(unknown)'\(hint) It has: \(known.joined(separator: ", "))")
    }
}

struct CallCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [AssignmentArgument]> { \.arguments }
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call an SDK function on local data; it also works without a network.",
        discussion: Discussion.examples(
            "call queryConversationListWithConfig count=20",
            "@phone call queryHistoryMessageByConversationID conversationID=bob",
            "call searchGlobalLocalMessagesWithConfig keywords=lift",
            "call setConversationDraft draft=later conversationID=bob",
            notes: """
                The names are those of ZIM; most also have names of NIM and Agora Chat. 'help calls' lists them, and \
                'help calls NAME' lists the arguments. Separate several values with commas. 'next' in an answer is the \
                position of the next page.
                """))

    @Argument(help: ArgumentHelp("The call.", valueName: "call"))
    var call: CallArgument

    @Argument(help: ArgumentHelp("Arguments: name=value.", valueName: "call-argument"))
    var arguments: [AssignmentArgument] = []

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.local(call.call, arguments.map { call.argument($0.pair) }), client: client)
    }
}

struct ChangeCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [AssignmentArgument]> { \.fields }
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Change the user's data on the server.",
        discussion: Discussion.examples(
            "change message conversationID=bob message='are you there?'", "change friend userID=bob",
            "change group groupID=tea groupName='Tea time'", "change member groupID=tea userID=bob",
            "change reaction messageID=m1 reactionType=heart isOn=true",
            notes: """
                Changes friends, groups, messages and related data, with all fields. The server notifies the users \
                concerned. Field names are those of the answers of 'call'. The user, a new message's id and the \
                time are filled in. 'send', 'react', 'read', 'friend', 'block' and 'group' are shorter commands for \
                most changes.
                """))

    @Argument(help: ArgumentHelp("The kind of change.", valueName: "change"))
    var kind: ChangeArgument

    @Argument(help: ArgumentHelp("The new values: name=value.", valueName: "field"))
    var fields: [AssignmentArgument]

    func validate() throws { try kind.check(fields) }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(kind.kind, fields.map(\.pair)), client: client)
    }
}

struct SearchCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    /// The kind of data to search.
    enum Subject: String, CaseIterable, ExpressibleByArgument {
        case messages, conversations, friends, groups
    }

    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search the local data for words.",
        discussion: Discussion.examples(
            "search messages lift", "@phone search friends wang", "search conversations lift broken",
            notes: "All words must occur, in any case and width. 'call' has all search options."))

    @Argument(help: "The data to search.")
    var subject: Subject

    @Argument(help: ArgumentHelp("The words to search for.", valueName: "keyword"))
    var words: [TextArgument]

    var nature: CommandNature { .queriesState }

    private var call: LocalCall {
        switch subject {
        case .messages: .searchGlobalLocalMessages
        case .conversations: .searchLocalConversations
        case .friends: .searchLocalFriends
        case .groups: .searchLocalGroups
        }
    }

    mutating func resolve() throws(WordError) {
        let names = call.declaration.parameters.map(\.name)
        guard let index = words.firstIndex(where: { KeyValue($0.value).map { names.contains($0.key) } ?? false }) else {
            return
        }
        let keywords = words.map(\.value).filter { KeyValue($0) == nil }.joined(separator: ",")
        throw WordError(
            index + 1, "'\(words[index].value)' is an argument of 'call', not a search word",
            hint: "call \(call.name) keywords=\(keywords.quotedIfNeeded) \(words[index].value)")
    }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let keywords = KeyValue(key: "keywords", value: words.map(\.value).joined(separator: ","))
        try shell.call(.local(call, [keywords]), client: client)
    }
}
