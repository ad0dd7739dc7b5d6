import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMText

// Calls on local data (ZIM-9).

extension Shell {
    /// Makes the call, and prints the result.
    func callLocal(_ call: LocalCall, _ arguments: [KeyValue], client name: String?) throws {
        let request = LocalRequest(call, arguments.map { ($0.key, $0.value) })
        do {
            let completion = try ask(.call(request), client: name)
            guard let completion else { return }
            printResult(table: completion.rows, none: call.declaration.changes ? "done" : "none")
        } catch var failure as CommandFailure {
            // The vendor's code does not contain the wrong argument.
            if let rejectionReason = request.rejectionReason { failure.message += "; \(rejectionReason)" }
            throw failure
        }
    }

    /// Prints the messages with a user, or else in a group of that name.
    func printHistory(of other: String, client name: String?) throws {
        for kind in ["peer", "group"] {
            let request = LocalRequest(
                .queryHistoryMessage, [("conversationID", other), ("conversationType", kind)])
            let completion = try ask(.call(request), client: name)
            if kind == "group" || completion?.rows.isEmpty == false {
                return printResult(table: completion?.rows ?? [], none: "none")
            }
        }
    }
}

extension ChangeRecord {
    /// A change from typed fields.
    init(_ kind: ChangeKind, _ fields: [KeyValue]) {
        self.init(kind: kind, fields: fields.map { AnswerField(name: $0.key, value: $0.value) })
    }
}
