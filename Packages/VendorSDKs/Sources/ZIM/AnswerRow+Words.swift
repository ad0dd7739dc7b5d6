import Foundation
import IMLocalData
import IMProtocol

// Converts the machines' names to the vendor's numbers.

extension AnswerRow {
    /// The text of a field; empty if there is none.
    subscript(name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

    func number(_ name: String) -> Int64 { Int64(self[name]) ?? 0 }

    func count(_ name: String) -> UInt32 { UInt32(self[name]) ?? 0 }

    func flag(_ name: String) -> Bool { self[name] == "true" }

    func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

    /// Names and values of attributes. No name contains a `=`, and no value a comma.
    func attributes(_ name: String) -> [String: String] {
        var attributes: [String: String] = [:]
        for pair in self[name].split(separator: ",") {
            guard let sign = pair.firstIndex(of: "=") else { continue }
            attributes[String(pair[..<sign])] = String(pair[pair.index(after: sign)...])
        }
        return attributes
    }
}

/// One of the vendor's enums, whose cases have names in answers.
protocol NamedEnum: CaseIterable, RawRepresentable {
    /// The machines' name of a case; nil if they have none.
    var word: String? { get }
    /// The case for all other names.
    static var otherwise: Self { get }
}

extension NamedEnum {
    init(word: String) { self = Self.allCases.first { $0.word == word } ?? Self.otherwise }
}

extension ZIMConversationType: NamedEnum {
    static var otherwise: Self { .unknown }
    var word: String? { UInt8(exactly: rawValue).flatMap(ConversationID.Kind.init)?.name }
}

extension ZIMMessageType: NamedEnum {
    static var otherwise: Self { .unknown }
    var word: String? { UInt8(exactly: rawValue).flatMap(LocalMessage.Kind.init)?.name }
}

extension ZIMMessageSentStatus: NamedEnum {
    static var otherwise: Self { .sendSuccess }
    var word: String? {
        switch self {
        case .sending: "sending"
        case .sendSuccess: "success"
        case .sendFailed: "failed"
        }
    }
}

extension ZIMMessageReceiptStatus: NamedEnum {
    static var otherwise: Self { .none }
    var word: String? {
        switch self {
        case .none: "none"
        case .processing: "processing"
        case .done: "done"
        case .expired, .failed: nil
        }
    }
}

extension ZIMConversationNotificationStatus: NamedEnum {
    static var otherwise: Self { .notify }
    var word: String? {
        switch self {
        case .notify: "notify"
        case .doNotDisturb: "do-not-disturb"
        }
    }
}

extension ZIMGroupMessageNotificationStatus: NamedEnum {
    static var otherwise: Self { .notify }
    var word: String? { ZIMConversationNotificationStatus(rawValue: rawValue)?.word }
}

extension ZIMFriendApplicationType: NamedEnum {
    static var otherwise: Self { .none }
    var word: String? {
        switch self {
        case .received: "received"
        case .sent: "sent"
        case .none, .both: nil
        }
    }
}

extension ZIMFriendApplicationState: NamedEnum {
    static var otherwise: Self { .waiting }
    var word: String? { UInt8(exactly: rawValue).flatMap(ApplicationState.init)?.name }
}

extension ZIMGroupApplicationType: NamedEnum {
    static var otherwise: Self { .none }
    var word: String? {
        switch self {
        case .join: "join"
        case .invite: "invite"
        case .beInvite: "be-invited"
        case .none: nil
        }
    }
}

extension ZIMGroupApplicationState: NamedEnum {
    static var otherwise: Self { .waiting }
    var word: String? { UInt8(exactly: rawValue).flatMap(ApplicationState.init)?.name }
}

extension ZIMCallState: NamedEnum {
    static var otherwise: Self { .unknown }
    var word: String? {
        switch self {
        case .started: "started"
        case .ended: "ended"
        case .unknown: nil
        }
    }
}
