import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// Callbacks and results have the names and numbers of the vendor's documents (NIM-1, NIM-9, NIM-12, NIM-13, ZIM-4,
/// ZIM-5, CHAT-1, CHAT-5, CHAT-8, CHAT-10, RTM-1, RTM-9).
package struct VendorNumberOracle {
    private let numbers: VendorNumbers
    /// The calls that have not completed.
    private var calls: [CommandID: CallKind] = [:]

    package init(_ policy: ClientPolicy) { numbers = VendorNumbers(policy.profile) }

    package mutating func see(_ event: SessionEvent, _ dialect: any Dialect, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: calls = [:]
        case .input(.clientCommand(let id, let command)): calls[id] = CallKind(command)
        case .effect(.transition(let change)):
            guard let word = numbers.word(for: change) else { return }
            look(word, dialect.callback(for: .transition(change)), change.to.name, into: &faults)
        case .effect(.notify(let notification)):
            guard let word = numbers.word(for: notification) else { return }
            look(word, dialect.callback(for: .notify(notification)), word.callback, into: &faults)
        case .effect(.complete(let id, let completion)):
            let status = completion.status
            guard let call = calls.removeValue(forKey: id), let number = numbers.number(of: status, in: call) else {
                return
            }
            let code = dialect.code(for: status, of: call)
            guard code.number != number else { return }
            let words = "\(call.word) ends with \(code), for \(number)"
            faults.append(Violation(.words, "C-1", "a call ends with another code than its vendor's", words))
        default: break
        }
    }

    private func look(_ word: VendorNumbers.Word, _ told: Callback?, _ about: String, into faults: inout [Violation]) {
        guard let told, told.name == word.callback else {
            let words = "\(about): \(told?.name ?? "nothing"), for \(word.callback)"
            faults.append(Violation(.words, "C-16", "an app is told with another callback than its vendor's", words))
            return
        }
        for (field, number) in word.numbers {
            let value = told.fields.first { $0.name == field }?.value ?? ""
            guard !value.hasSuffix("(\(number))") else { continue }
            let words = "\(told.name): \(field) \(value), for \(number)"
            faults.append(Violation(.words, "C-16", "an app is told another number than its vendor's", words))
        }
    }
}
