// The coding keys that session files contain. A renamed property must keep its key; see `FormatKeys.swift` of IMClient.

extension Question {
    enum CodingKeys: String, CodingKey { case members, attributes, channelAttributes, users }
    enum MembersCodingKeys: String, CodingKey { case channel }
    enum AttributesCodingKeys: String, CodingKey { case user }
    enum ChannelAttributesCodingKeys: String, CodingKey { case channel }
}

extension AccountCall.Action {
    enum CodingKeys: String, CodingKey { case listDevices, kick, kickAll }
    enum KickCodingKeys: String, CodingKey { case device }
}

extension AnswerField {
    enum CodingKeys: String, CodingKey { case name, value }
}

extension ChangeRecord {
    enum CodingKeys: String, CodingKey { case number, kind, fields }
}

extension DeviceOperation {
    enum CodingKeys: String, CodingKey { case id, kind, target, ext, device, isOfGroup, number }
}
