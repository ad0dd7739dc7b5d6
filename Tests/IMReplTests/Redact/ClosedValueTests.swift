import IMLocalData
import IMProtocol
import IMSimulation
import IMTree
import Recorder
import Testing

@testable import IMExport
@testable import IMSession

/// Tests that redaction keeps the value of a field with a closed set of values only if the value is in the set.
@Suite struct ClosedValueTests {
    private func redacted(_ script: String) throws -> (text: String, keepsCalculated: Bool) {
        let bytes = try Played.recording(script)
        let result = try Redaction.bytes(of: try SessionReader(bytes: bytes), path: "a.pcapng")
        let reader = try SessionReader(bytes: result.bytes)
        guard case .verified = try Verifier.verify(reader, schema: IMSessionSchema(), behaviour: .any) else {
            Issue.record("the result does not verify")
            return ("", false)
        }
        return (String(decoding: result.bytes, as: UTF8.self), result.summary.keepsCalculated)
    }

    /// The author of a new parameter of a call must declare whether redaction keeps or replaces its value.
    @Test func everyParameterOfACallIsDeclared() throws {
        for parameter in LocalCall.allCases.flatMap(\.declaration.parameters) {
            let (privacy, _) = try #require(DataFields.privacy(of: parameter.name, isGroup: false), "\(parameter.name)")
            #expect(privacy != .impersonal, "\(parameter.name)")
            guard case .closed(let values) = privacy else {
                #expect(parameter.kind.words.isEmpty, "\(parameter.name) has a closed set of values")
                continue
            }
            #expect(!values.contains("Secret"), "\(parameter.name)")
            for word in parameter.kind.words { #expect(values.contains(word), "\(parameter.name) \(word)") }
        }
    }

    /// A field that is in neither list would be kept without a check.
    @Test func everyKeptFieldOfLocalDataIsChecked() throws {
        for name in DataFields.names {
            #expect(try #require(DataFields.privacy(of: name, isGroup: false)).privacy != .impersonal, "\(name)")
        }
    }

    @Test func aTextInANumbersFieldIsReplaced() throws {
        let (text, keeps) = try redacted(
            """
            #! imrepl script 1
            # profile: zim
            client new phone
            @phone login alice
            wait 1s
            ! @phone call queryConversationListWithConfig count=Secret
            @phone call queryConversationListWithConfig count=12
            wait 1s

            """)
        #expect(!text.contains("Secret") && text.contains("count=12"))
        #expect(!keeps)
    }

    @Test func numbersAndKeysOfTheTreeAreReplaced() throws {
        let (text, keeps) = try redacted(
            """
            #! imrepl script 1
            # profile: wilddog
            client new phone
            @phone sync on users
            wait 1s
            @phone sync set users/one 13812345678
            @phone sync set users/-Secret_Meeting_Plan '{"latitude": 31.230416, "age": 41}'
            @phone sync push users '"hello"'
            wait 1s

            """)
        for original in ["13812345678", "-Secret_Meeting_Plan", "31.230416"] {
            #expect(!text.contains(original), "\(original)")
        }
        #expect(text.contains("41"))
        #expect(!keeps)
    }

    @Test func namesOfAttributesAreReplaced() throws {
        let (text, keeps) = try redacted(
            """
            #! imrepl script 1
            # profile: agora-rtm
            client new phone
            @phone login alice
            wait 1s
            @phone attributes secretname=secretvalue mood=happy
            wait 1s
            @phone query attributes alice
            server restart
            wait 5s

            """)
        for original in ["secretname", "secretvalue", "mood"] { #expect(!text.contains(original), "\(original)") }
        #expect(!keeps)
    }
}
