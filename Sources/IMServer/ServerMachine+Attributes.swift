import IMProtocol
import OrderedCollections
import SansIO

// Attributes of users and channels, and questions about them. A user's attributes are there as long as the user is.

extension ServerMachine {
    mutating func setAttributes(_ fields: [AnswerField], channel: String, user: String) -> Status {
        guard fields.count <= ServerMachine.attributeCountMax,
            fields.allSatisfy({
                ProtocolLimit.isName($0.name)
                    && ProtocolLimit.isText($0.value, bytesMax: ProtocolLimit.extensionBytesMax)
            })
        else { return .invalidArgument }
        if channel.isEmpty {
            accounts[user]?.attributes = fields
            return .ok
        }
        guard channels[channel]?.members.contains(user) == true else { return .notFound }
        channels[channel]?.attributes = fields
        return .ok
    }

    static let attributeCountMax = 32

    func answer(_ question: Question, of user: String) -> FrameBody {
        switch question {
        case .members(let channel):
            guard let members = channels[channel]?.members, members.contains(user) else {
                return .answer(.notFound, [])
            }
            return .answer(.ok, members.map { AnswerRow([("member", $0)]) })
        case .attributes(let name):
            guard let account = accounts[name.isEmpty ? user : name] else { return .answer(.notFound, []) }
            return .answer(.ok, account.attributes.isEmpty ? [] : [AnswerRow(fields: account.attributes)])
        case .channelAttributes(let channel):
            guard let channel = channels[channel] else { return .answer(.notFound, []) }
            return .answer(.ok, channel.attributes.isEmpty ? [] : [AnswerRow(fields: channel.attributes)])
        }
    }
}
