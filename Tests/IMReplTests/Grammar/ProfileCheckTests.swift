import IMProfiles
import LineEditing
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell

/// Tests of the check of a script before it runs: callbacks, fields and values must exist in the profile.
@Suite struct ProfileCheckTests {
    private func errors(_ lines: String, profile: String = "nim") throws -> [String] {
        let script = try Script.parse(lines, named: "a", origin: .pipe, check: CommandParser.check)
        let dialect = try #require(Dialects.named(profile))
        return ProfileCheck.errors(in: script, beginningWith: dialect).map { error in
            "\(error.position): \(error.message)" + (error.hint.map { "; \($0)" } ?? "")
        }
    }

    @Test(arguments: [
        ("expect callback onKik", "1:17: NetEase NIM has no callback 'onKik'; did you mean 'onKick'?"),
        (
            "@phone expect none callback onKick raeson=1 for 5s",
            "1:36: the callback 'onKick' has no field 'raeson'; did you mean 'reason'?"
        ),
        (
            "expect callback onKick reason=NIMKickReasonByClientt",
            "1:24: 'reason' is never 'NIMKickReasonByClientt'; did you mean 'NIMKickReasonByClient'?"
        ),
        ("expect callback onLogin step!=Linkin(1)", "1:25: 'step' is never 'Linkin(1)'"),
        ("expect frame out logn", "1:18: there is no frame 'logn'; did you mean 'login'?"),
        ("expect state online from=conecting", "1:21: 'from' is never 'conecting'; did you mean 'connecting'?"),
        ("expect state online form=connecting", "1:21: a state has no field 'form'; did you mean 'from'?"),
    ])
    func `names that the profile does not have are reported`(line: String, says: String) throws {
        let found = try errors(line)
        #expect(found.count == 1 && found[0].hasPrefix(says), "\(found)")
    }

    @Test func `numbers, patterns, captures and variables are not checked before the run`() throws {
        let lines = """
            expect callback onKick reason=1 clientType~/NIM/ within 5s as $kick
            expect callback onKick reason=NIMKickReasonByClient(1)
            expect callback onKick reason=>$why
            expect callback onKick reason=$why.name
            expect callback onRecvMessages text=anything from=bob
            expect event callback == onKick
            """
        #expect(try errors(lines).isEmpty)
    }

    @Test func `after 'use' the names of the other profile apply`() throws {
        let lines =
            "expect callback onKick\nuse agora-rtm\nexpect callback onKick\nexpect callback memberJoined channel=x"
        #expect(try errors(lines).map { String($0.prefix(5)) } == ["3:17:"])
    }

    @Test(arguments: SessionLibrary.scripts) func `no session of the library uses an unknown name`(name: String) throws
    {
        let script = try SessionLibrary.read(name).script
        let dialect = try #require(Dialects.named(script.metadata.profile ?? "nim"))
        #expect(ProfileCheck.errors(in: script, beginningWith: dialect).isEmpty)
    }

    // MARK: Completion

    private func texts(_ line: String, _ profile: String = "nim") throws -> [String] {
        let dialect = try #require(Dialects.named(profile))
        var context = CompletionContext()
        context.callbacks = dialect.callbacks.map(\.name)
        for shape in dialect.callbacks { context.callbackFields[shape.name, default: []] += shape.fields }
        context.absentCommands = ProfileCommands.absent(in: dialect.clientPolicy.features)
        return CompletionEngine(table: .shell).complete(line, cursor: line.utf8.count, context: context)
            .candidates.map { $0.display ?? $0.text }
    }

    @Test func `completion offers the fields of a callback, and their values`() throws {
        #expect(try texts("expect callback onKick ") == ["reason=", "clientType=", "within", "as"])
        #expect(try texts("expect callback onKick reason=1 cl") == ["clientType="])
        #expect(try texts("expect callback onKick reason=NIMKickReasonByC").contains("reason=NIMKickReasonByClient"))
        #expect(try texts("expect callback onKick within ").allSatisfy { !$0.contains("reason") })
    }

    @Test func `required words come first, and only those of the profile`() throws {
        #expect(try texts("login ") == ["<user>"])
        #expect(try texts("login alice ").contains("--token-file"))
        #expect(try !texts("").contains("sync") && texts("").contains("login"))
        #expect(try texts("", "wilddog").contains("sync") && !texts("", "wilddog").contains("login"))
        #expect(try !texts("", "agora-rtm").contains("autologin"))
    }
}
