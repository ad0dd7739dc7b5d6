import IMClient
import IMLocalData
import IMProtocol

// The fields of requests for local data, of their answers, and of changes of local data.

extension DataRequest: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> DataRequest {
        var request = self
        switch action {
        case .open(let user):
            visitor.shown(.action, "open")
            request.action = .open(user: visitor.text(.user, user, .user))
        case .call(let number, let call):
            visitor.shown(.action, "call")
            visitor.shown(.request, String(number))
            request.action = .call(number: number, call.visitFields(&visitor))
        case .apply(let page):
            visitor.shown(.action, "apply")
            request.action = .apply(page.visitFields(&visitor))
        case .close: visitor.shown(.action, "close")
        case .tree(let tree): request.action = .tree(tree.visitFields(&visitor))
        }
        return request
    }
}

extension DataAnswer: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> DataAnswer {
        var answer = self
        switch outcome {
        case .opened(let position):
            visitor.shown(.action, "opened")
            visitor.shown(.last, String(position))
        case .answered(let number, var result):
            visitor.shown(.action, "answered")
            visitor.shown(.request, String(number))
            visitor.shown(.status, result.status.fieldText)
            visitor.shown(.count, String(result.rows.count))
            // The rows are not shown here, because the completion of the call shows them.
            if !Visitor.onlyReads {
                result.rows = visitor.dataRows(result.rows)
                result.next = visitor.hidden(result.next, .closed(.position))
            }
            answer.outcome = .answered(number: number, result)
        case .failed(let status):
            visitor.shown(.action, "failed")
            visitor.shown(.status, status.fieldText)
        case .tree(let tree): answer.outcome = .tree(tree.visitFields(&visitor))
        }
        return answer
    }
}

extension LocalRequest: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> LocalRequest {
        visitor.shown(.what, call.name)
        var request = self
        let isGroup = arguments.contains { $0.name == "conversationType" && ["group", "2"].contains($0.value) }
        for field in arguments { visitor.shown(field.name, field.value) }
        guard !Visitor.onlyReads else { return self }
        request.arguments = arguments.map { field in
            // The argument `message` is a message's id. Only in `insertMessageToLocalDB` it is a text.
            guard field.name == "message", call != .insertMessageToLocalDB else {
                return DataFields.visit(field, isGroup: isGroup, &visitor)
            }
            return AnswerField(
                name: visitor.hidden(field.name, .fieldName), value: visitor.hidden(field.value, .identifier))
        }
        return request
    }
}

extension ChangePage: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> ChangePage {
        visitor.shown(.count, String(changes.count))
        visitor.shown(.more, String(!isLast))
        if let change = changes.first, changes.count == 1 {
            return ChangePage(after: after, changes: [change.visitFields(&visitor)], isLast: isLast)
        }
        guard !Visitor.onlyReads else { return self }
        return ChangePage(after: after, changes: changes.map { $0.visitFields(&visitor) }, isLast: isLast)
    }
}

extension ChangeRecord: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> ChangeRecord {
        visitor.shown(.change, kind.name)
        var change = self
        change.fields = visitor.data(fields)
        return change
    }
}

extension FieldVisitor {
    /// Visits the rows of an answer from local data.
    package mutating func dataRows(_ rows: [AnswerRow]) -> [AnswerRow] {
        rows.map { row in
            let isGroup = row.fields.contains { $0.name == "conversationType" && $0.value == "group" }
            return AnswerRow(fields: row.fields.map { DataFields.visit($0, isGroup: isGroup, &self) })
        }
    }
}

extension ChangeKind {
    /// The privacy of the name that an app receives with a change of this kind.
    var privacyOfName: FieldPrivacy {
        switch self {
        case .user, .friend, .friendRemoved, .friendApplication, .blacklist, .read, .reaction, .conversationRead: .user
        case .group, .groupRemoved, .member, .memberRemoved, .groupApplication: .channel
        // The conversation is with a user or a group. The kind of change does not determine which, so the name counts
        // as a user's.
        case .message, .conversation, .conversationRemoved, .conversationEmptied, .readElsewhere: .user
        case .messageRevoked, .messageRemoved, .downloaded, .delivered, .call: .identifier
        }
    }
}
