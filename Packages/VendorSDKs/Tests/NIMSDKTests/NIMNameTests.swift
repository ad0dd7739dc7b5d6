import IMClient
import IMProfiles
import IMProtocol
import NIMSDK
import SimulatedApp
import Testing

/// The module's names and numbers are those that the shell shows.
@Suite struct NIMNameTests {
    private let dialect = NIMDialect()

    /// The vendor's name of a case: the type's name and the case's name with a capital letter.
    private func name(_ value: some RawRepresentable<Int>, of type: String) -> String {
        let word = "\(value)"
        return type + word.prefix(1).uppercased() + word.dropFirst() + "(\(value.rawValue))"
    }

    private func said(_ notification: ClientNotification, _ field: String) -> String? {
        dialect.callback(for: .notify(notification))?[field]
    }

    @Test func steps() throws {
        for step in LoginStep.allCases {
            let text = try #require(said(.loginStep(step), "step"))
            let value = try #require(NIMLoginStep.allCases.first { text.hasSuffix("(\($0.rawValue))") })
            #expect(name(value, of: "NIMLoginStep") == text)
        }
    }

    @Test func kicks() throws {
        for reason in KickReason.allCases {
            let text = try #require(said(.kicked(KickNotice(reason: reason, epoch: 1, by: nil)), "reason"))
            let value = try #require(NIMKickReason.allCases.first { text.hasSuffix("(\($0.rawValue))") })
            #expect(name(value, of: "NIMKickReason") == text)
        }
        for platform in Platform.allCases {
            let by = Device(id: "other", platform: platform)
            let text = try #require(said(.kicked(KickNotice(reason: .server, epoch: 1, by: by)), "clientType"))
            let value = try #require(NIMLoginClientType.allCases.first { text.hasSuffix("(\($0.rawValue))") })
            // The cases repeat the first word of their type's name.
            #expect("NIMLoginClientT" + "\(value)".dropFirst() + "(\(value.rawValue))" == text)
        }
    }

    @Test func otherDevices() throws {
        for change in DeviceChange.allCases {
            let text = try #require(said(.devicesChanged(change, []), "type"))
            let value = try #require(NIMMultiLoginType.allCases.first { text.hasSuffix("(\($0.rawValue))") })
            #expect(name(value, of: "NIMMultiLoginType") == text)
        }
    }
}
