import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import IMTree

// Strings that consist of several parts. If a machine composes a string from a name and a number, its replacement is
// composed from the name's pseudonym and the same number.

extension Pseudonyms {
    /// The id of a message, an operation or an item of a sync.
    ///
    /// The clients of this program make `DEVICE-NONCE-1`, its server makes `groups-1` and `change-1`.
    func identifier(_ text: String) -> String {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if let number = parts.last, parts.count > 1, Self.isNumber(number) {
            let start = parts.dropLast().joined(separator: "-")
            if SyncPhase.allCases.contains(where: { $0.name == start }) || start == ServerMachine.changeName {
                return text
            }
            if OwnID.isProcess(start) { return process(start) + "-" + number }
        }
        return name(text, .id)
    }

    /// The process in the id of a message: `DEVICE-NONCE`, or any id that another program made.
    func process(_ text: String) -> String {
        guard OwnID.isProcess(text), let dash = text.lastIndex(of: "-") else { return identifier(text) }
        return name(String(text[..<dash]), .device) + text[dash...]
    }

    /// The id of an item that a client stores. For a received message, the sender's name and a slash precede the id.
    func itemIdentifier(_ text: String) -> String {
        guard let slash = text.lastIndex(of: "/") else { return identifier(text) }
        return name(String(text[..<slash]), .user) + "/" + identifier(String(text[text.index(after: slash)...]))
    }

    /// The text of an item of a sync. Our server sends texts such as `groups 1 of alice`. Other texts are messages, or
    /// come from another program.
    func item(_ text: String) -> String {
        let words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, words[2] == "of", Self.isNumber(words[1]),
            SyncPhase.allCases.contains(where: { $0.name == words[0] })
        else { return self.text(text) }
        return words[..<3].joined(separator: " ") + " " + name(String(words[3]), .user)
    }

    /// `NAME=VALUE`: the app chooses the attribute's name, the user its value.
    func assignment(_ text: String) -> String {
        guard let equals = text.firstIndex(of: "=") else { return self.text(text) }
        return attributeName(String(text[..<equals])) + "=" + self.text(String(text[text.index(after: equals)...]))
    }

    /// The name of a field of local data. The names that the vendor defines are not replaced.
    func fieldName(_ text: String) -> String {
        if text.hasPrefix("part"), let dot = text.firstIndex(of: "."), Self.isNumber(text[..<dot].dropFirst(4)) {
            return text[...dot] + fieldName(String(text[text.index(after: dot)...]))
        }
        let prefix = ChangeRecord.attributePrefix
        if text.hasPrefix(prefix) { return prefix + attributeName(String(text.dropFirst(prefix.count))) }
        return Self.fieldNames.contains(text) ? text : attributeName(text)
    }

    private static let fieldNames = Set(DataFields.names)

    /// The name of a secret, such as `token-of-alice`. ``CredentialVault`` makes these names.
    func credential(_ text: String) -> String {
        let ofUser = "token-of-"
        if text.hasPrefix(ofUser) { return ofUser + name(String(text.dropFirst(ofUser.count)), .user) }
        // The client composes this name from the id of its device. So the id in the name is replaced by the pseudonym
        // of the device.
        if Credential.isProvided(text), let device = text.firstRange(of: "-to-")?.upperBound {
            return text[..<device] + name(String(text[device...]), .device)
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, ["given", "password"].contains(parts[0]), Self.isNumber(parts[1]) { return text }
        return name(text, .id)
    }

    /// A path in the tree. Below `.info`, a client reads data about its own connection (SYNC-5). The names of these
    /// paths are fixed.
    func path(_ text: String) -> String {
        let keys = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let isInfo = keys.first { !$0.isEmpty } == ".info"
        let fixed = [".info", "connected", "serverTimeOffset"]
        return keys.map { isInfo && fixed.contains($0) ? $0 : key(TreeKey($0)).text }.joined(separator: "/")
    }

    func node(_ node: TreeNode) -> TreeNode {
        if let leaf = node.leaf { return TreeNode(self.leaf(leaf), priority: node.priority.map(self.leaf)) }
        let children = node.children.reduce(TreeNode.empty) { $0.setting(key($1.key), to: self.node($1.value)) }
        return children.with(priority: node.priority.map(leaf))
    }

    /// Two kinds of key are not personal: the vendor's key for a priority, and a key that encodes a time.
    func key(_ key: TreeKey) -> TreeKey {
        key == .priority || isPushID(key) ? key : TreeKey(name(key.text, .key))
    }

    /// An expression that cannot be written with other names is replaced by one that always aborts.
    func expression(_ expression: TransactionExpression) -> TransactionExpression {
        let renamed = try? expression.renamed(key: key, text: { self.text($0) }, number: number)
        return renamed ?? TransactionExpression.abort
    }

    private func leaf(_ leaf: TreeLeaf) -> TreeLeaf {
        switch leaf {
        case .text(let text): .text(self.text(text))
        case .number(let number): .number(self.number(number))
        case .bool, .serverTimestamp: leaf
        }
    }

    func query(_ query: TreeQuery) -> TreeQuery {
        var query = query
        if case .child(let keys) = query.order { query.order = .child(keys.map(key)) }
        func bound(_ bound: TreeQuery.Bound) -> TreeQuery.Bound {
            if query.order == .key, case .text(let text)? = bound.value {
                return TreeQuery.Bound(.text(name(text, .key)))
            }
            return TreeQuery.Bound(bound.value.map(leaf), key: bound.key.map(key))
        }
        query.start = query.start.map(bound)
        query.end = query.end.map(bound)
        return query
    }

    /// An action on the world, such as `net hold kicked --dir in`. It contains no names, unless another program wrote
    /// the recording.
    func action(_ action: EnvironmentAction) -> EnvironmentAction {
        if case .observed(let event) = action { return .observed(observed(event)) }
        return EnvironmentAction(command: command(action.command))
    }

    /// The text of a log line is left out, because the program cannot detect which parts of it describe people.
    private func observed(_ event: LoggedEvent) -> LoggedEvent {
        var copy = event
        copy.text = ""
        for index in copy.fields.indices where Double(copy.fields[index].value) == nil {
            copy.fields[index].value = name(copy.fields[index].value, .word)
        }
        return copy
    }

    private func command(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let isOwn = word.isEmpty || Self.ownWords.contains(String(word)) || Self.isMeasure(word)
            return isOwn ? String(word) : name(String(word), .word)
        }.joined(separator: " ")
    }

    private static let ownWords = Set(
        FrameBody.names + [
            "net", "app", "clock", "down", "up", "switch", "half-open", "reset", "delay", "loss", "release", "clear",
            "drop", "hold", "duplicate", "sleep", "skew", "--jitter", "--dir", "--count", "in", "out", "*",
        ])

    /// True for a number with or without a unit: `1500ms`, `-3`, `2.5%`.
    private static func isMeasure(_ word: Substring) -> Bool {
        Double(word.hasSuffix("ms") ? word.dropLast(2) : word.hasSuffix("%") ? word.dropLast() : word) != nil
    }

    /// A setting of the server's policy. For a known key, a number or one of the listed values is not personal.
    func policy(_ key: String, _ value: String) -> (key: String, value: String) {
        guard let known = ServerPolicy.setting(named: key) else {
            return (name(key, .word), text(value, .word))
        }
        let isChoice = known.takes.split(separator: "|").contains { $0 == value }
        return (key, isChoice || Int64(value) != nil ? value : text(value, .word))
    }

    /// The application of a user. The clients of this program send the name of their profile as the application. That
    /// name is not replaced, because the server compares it with the name of its own profile.
    func application(_ text: String) -> String {
        Dialects.named(text) == nil ? name(text, .word) : text
    }

    /// The text of a `goodbye` frame. The machines of this program send fixed texts. Every other text is from another
    /// program, and is replaced.
    func detail(_ text: String) -> String {
        let isOwn = Self.ownDetails.contains(text) || (text.hasPrefix("the frame's field '") && text.hasSuffix("value"))
        return isOwn ? text : self.text(text)
    }

    private static let ownDetails: Set =
        [
            "log in first", "already logged in", "only a server may say that", "too much to settle",
            "too much for one request", FrameError.tooLarge.explanation,
            FrameError.notProtobuf.explanation, FrameError.emptyFrame.explanation,
        ]

    /// The names of the server and the session are not replaced, because every world has nodes with these names.
    func node(_ text: String) -> String {
        ["session", WorldCore.serverName].contains(text) ? text : word(text)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
