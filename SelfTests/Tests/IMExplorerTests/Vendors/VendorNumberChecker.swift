import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// Checks that callbacks and results have the names and numbers of the vendor's documents (NIM-1, NIM-9, NIM-12,
/// NIM-13, ZIM-4, ZIM-5, CHAT-1, CHAT-5, CHAT-8, CHAT-10, RTM-1, RTM-9).
struct VendorNumberChecker {
    private let numbers: VendorNumbers
    /// The calls that have not completed.
    private var calls: [CommandID: CallKind] = [:]

    init(_ policy: ClientPolicy) { numbers = VendorNumbers(policy.profile) }

    mutating func observe(_ event: SessionEvent, _ dialect: any Dialect, into violations: inout [VendorDifference]) {
        switch event.content {
        case .start, .stop: calls = [:]
        case .input(.clientCommand(let id, let command)): calls[id] = CallKind(command)
        case .effect(.transition(let change)):
            guard let word = numbers.expectedCallback(for: change) else { return }
            compare(word, dialect.callback(for: .transition(change)), change.to.name, into: &violations)
        case .effect(.notify(let notification)):
            guard let word = numbers.expectedCallback(for: notification) else { return }
            compare(word, dialect.callback(for: .notify(notification)), word.callback, into: &violations)
        case .effect(.complete(let id, let completion)):
            let status = completion.status
            guard let call = calls.removeValue(forKey: id), let number = numbers.number(of: status, in: call) else {
                return
            }
            let code = dialect.code(for: status, of: call)
            guard code.number != number else { return }
            let words = "\(call.word) ends with \(code), for \(number)"
            violations.append(VendorDifference("C-1", "a call ends with a code that is not the vendor's", words))
        default: break
        }
    }

    private func compare(
        _ word: VendorNumbers.ExpectedCallback, _ actual: Callback?, _ about: String,
        into violations: inout [VendorDifference]
    ) {
        guard let actual, actual.name == word.callback else {
            let words = "\(about): \(actual?.name ?? "nothing"), for \(word.callback)"
            violations.append(
                VendorDifference("C-16", "the app is notified with a callback that is not the vendor's", words))
            return
        }
        for (field, number) in word.numbers {
            let value = actual.fields.first { $0.name == field }?.value ?? ""
            guard !value.hasSuffix("(\(number))") else { continue }
            let words = "\(actual.name): \(field) \(value), for \(number)"
            violations.append(
                VendorDifference("C-16", "the app is notified of a number that is not the vendor's", words))
        }
    }
}

/// A value that differs from the vendor's documents.
struct VendorDifference {
    var rule: String
    var text: String

    init(_ rule: String, _ kind: String, _ detail: String) { (self.rule, text) = (rule, "\(kind): \(detail)") }
}
