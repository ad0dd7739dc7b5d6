import IMProtocol

// A message in an export. Its fields are those of a change (`LocalChange.record`), and the values that only this device
// has.

extension LocalMessage {
    /// The message as the fields of an export.
    public var archivedFields: [AnswerField] {
        var fields = LocalChange.message(self).record().fields
        if isUserInserted { fields.append(AnswerField(name: "isUserInserted", value: "true")) }
        if !localExtendedData.isEmpty {
            fields.append(AnswerField(name: "localExtendedData", value: localExtendedData))
        }
        return fields
    }

    /// Reads the fields that ``archivedFields`` wrote; nil if the conversation or the sender is missing, or if the id
    /// is missing and the message was not inserted on a device.
    public init?(archived fields: [AnswerField]) {
        let reader = ChangeFieldReader(fields)
        self.init(reader, depth: 0)
        isUserInserted = reader.flag("isUserInserted")
        localExtendedData = reader.text("localExtendedData")
        guard !conversation.id.isEmpty, !sender.isEmpty, !id.isEmpty || isUserInserted else { return nil }
    }
}
