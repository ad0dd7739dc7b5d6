import ArgumentParser
import IMDebugger
import IMLocalData
import IMProtocol
import IMText

/// The name of a call on local data, in ZIM's or another vendor's form.
package struct CallArgument: WordArgument {
    var call: LocalCall
    /// Another vendor's name of it.
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

    /// An argument under its name in our declaration.
    func argument(_ pair: KeyValue) -> KeyValue {
        KeyValue(key: name?.argument(pair.key) ?? pair.key, value: pair.value)
    }

    /// Its parameters, under the vendor's names.
    var parameters: [(name: String, parameter: LocalParameter)] {
        call.declaration.parameters.map { parameter in
            (name?.word(for: parameter.name) ?? parameter.name, parameter)
        }
    }

    /// For completion, and for suggestions.
    package static var allValueStrings: [String] { LocalCall.allCases.map(\.name) + LocalCallName.all.map(\.name) }
}

/// The kind of a change of a user's data.
struct ChangeArgument: WordArgument {
    var kind: ChangeKind

    init?(word: String) {
        guard let kind = ChangeKind.allCases.first(where: { $0.name == word }) else { return nil }
        self.kind = kind
    }

    static var allValueStrings: [String] { ChangeKind.allCases.map(\.name) }
}

extension ChangeArgument {
    /// Rejects unknown fields, numbers out of range and invalid flags: they would change nothing.
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
        abstract: "Call the SDK on local data, which answers without a network too.",
        discussion: Discussion.examples(
            "call queryConversationListWithConfig count=20",
            "@phone call queryHistoryMessageByConversationID conversationID=bob",
            "call searchGlobalLocalMessagesWithConfig keywords=lift",
            "call setConversationDraft draft=later conversationID=bob",
            notes: """
                The names are ZIM's, for most there are NIM's and Agora Chat's too; 'help calls' lists them, and \
                'help calls NAME' says what one takes. Several values are separated by commas. Where a page ends, 'next' says where the following one begins.
                """))

    @Argument(help: ArgumentHelp("Which call.", valueName: "call"))
    var call: CallArgument

    @Argument(help: ArgumentHelp("What it takes: name=value.", valueName: "call-argument"))
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
        abstract: "Change what the server has of the user.",
        discussion: Discussion.examples(
            "change message conversationID=bob message='are you there?'", "change friend userID=bob",
            "change group groupID=tea groupName='Tea time'", "change member groupID=tea userID=bob",
            "change reaction messageID=m1 reactionType=heart isOn=true",
            notes: """
                Changes friends, groups, messages and related data, with all fields. The server notifies the users \
                concerned. Field names are as in the answers of 'call'. Your user, a new message's id and the time are \
                filled in. 'send', 'react', 'read', 'friend', 'block' and 'group' are the plain words for most of it.
                """))

    @Argument(help: ArgumentHelp("What is changed.", valueName: "change"))
    var kind: ChangeArgument

    @Argument(help: ArgumentHelp("What is so from now on: name=value.", valueName: "field"))
    var fields: [AssignmentArgument]

    func validate() throws { try kind.check(fields) }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(kind.kind, fields.map(\.pair)), client: client)
    }
}

struct SearchCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    /// The subjects of a search.
    enum Subject: String, CaseIterable, ExpressibleByArgument {
        case messages, conversations, friends, groups
    }

    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search local data by words.",
        discussion: Discussion.examples(
            "search messages lift", "@phone search friends wang", "search conversations lift broken",
            notes: "All of the words must occur, in any case and width. 'call' has all that can be asked for."))

    @Argument(help: "Where to look.")
    var subject: Subject

    @Argument(help: ArgumentHelp("What to look for.", valueName: "keyword"))
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
            index + 1, "'\(words[index].value)' is an argument of 'call', and no word to search for",
            hint: "call \(call.name) keywords=\(keywords.quotedIfNeeded) \(words[index].value)")
    }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let keywords = KeyValue(key: "keywords", value: words.map(\.value).joined(separator: ","))
        try shell.call(.local(call, [keywords]), client: client)
    }
}
