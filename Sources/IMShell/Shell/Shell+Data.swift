import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMText

// The commands that call functions on the client's local data (ZIM-9).

extension Shell {
    /// Makes a call on local data and prints its result.
    func callLocal(_ call: LocalCall, _ arguments: [KeyValue], client name: String?) throws {
        let request = LocalRequest(call, arguments.map { ($0.key, $0.value) })
        do {
            let completion = try submit(.call(request), client: name)
            guard let completion else { return }
            printResult(table: completion.rows, none: call.declaration.changes ? "done" : "none")
        } catch var failure as CommandFailure {
            // The vendor's code does not name the wrong argument, so the message gets the reason.
            if let rejectionReason = request.rejectionReason { failure.message += "; \(rejectionReason)" }
            throw failure
        }
    }

    /// Prints the messages with a user. If there are none, prints the messages in the group with that name.
    func printHistory(of other: String, client name: String?) throws {
        for kind in ["peer", "group"] {
            let request = LocalRequest(
                .queryHistoryMessage, [("conversationID", other), ("conversationType", kind)])
            let completion = try submit(.call(request), client: name)
            if kind == "group" || completion?.rows.isEmpty == false {
                return printResult(table: completion?.rows ?? [], none: "none")
            }
        }
    }
}

extension ChangeRecord {
    /// A change with the fields that the user typed.
    init(_ kind: ChangeKind, _ fields: [KeyValue]) {
        self.init(kind: kind, fields: fields.map { AnswerField(name: $0.key, value: $0.value) })
    }
}
