import IMProtocol

// A message in an export: names and values, as changes have them, and what is this device's own besides.

extension LocalMessage {
    /// The message under its names.
    public var archivedFields: [AnswerField] {
        var fields = LocalChange.message(self).record().fields
        if isUserInserted { fields.append(AnswerField(name: "isUserInserted", value: "true")) }
        if !localExtendedData.isEmpty {
            fields.append(AnswerField(name: "localExtendedData", value: localExtendedData))
        }
        return fields
    }

    /// Reads what ``archivedFields`` wrote; nil for what names no conversation or no sender, or has no id without having
    /// been put in on a device.
    public init?(archived fields: [AnswerField]) {
        let reader = ChangeFieldReader(fields)
        self.init(reader, depth: 0)
        isUserInserted = reader.flag("isUserInserted")
        localExtendedData = reader.text("localExtendedData")
        guard !conversation.id.isEmpty, !sender.isEmpty, !id.isEmpty || isUserInserted else { return nil }
    }
}
