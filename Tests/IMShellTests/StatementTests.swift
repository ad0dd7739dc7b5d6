import Testing

@testable import IMDebugger
@testable import IMShell
@testable import IMText

@Suite struct StatementTests {
    private func statement(_ text: String) throws -> Statement { try #require(try Statement.parse(text)) }

    private func diagnostic(_ body: () throws -> Void) -> Diagnostic? {
        do {
            try body()
            return nil
        } catch {
            return error as? Diagnostic
        }
    }

    @Test func keepsPrefixesPositionAndSource() throws {
        let found = try statement("  ! @phone login alice  # again")
        #expect(found.mustFail)
        #expect(found.client == "phone")
        #expect(found.position.column == 3)
        #expect(found.source == "! @phone login alice  # again")
        #expect(try found.expand([:]) == ["login", "alice"])
    }

    @Test func isEmptyForABlankLineOrAComment() throws {
        #expect(try Statement.parse("") == nil)
        #expect(try Statement.parse("  # only words") == nil)
    }

    @Test func needsACommandAfterAPrefix() {
        let client = diagnostic { _ = try Statement.parse("@phone") }
        #expect(client?.message == "a command must follow '@phone'")
        #expect(client?.hint == "'client use phone' makes it the current client")
        #expect(diagnostic { _ = try Statement.parse(" !") }?.position.column == 2)
        #expect(diagnostic { _ = try Statement.parse("$cmd x") }?.message.contains("variable") == true)
    }

    @Test("';' ends a command, and is part of a word elsewhere")
    func aLineMayHaveSeveralCommands() throws {
        let found = try Statement.parseAll("@phone login alice; @pad login a;b 'c; d' ; # both")
        #expect(found.map(\.client) == ["phone", "pad"])
        #expect(try found[1].expand([:]) == ["login", "a;b", "c; d"])
        #expect(found.map(\.source) == ["@phone login alice", "@pad login a;b 'c; d'"])
        #expect(try Statement.parseAll("echo a;") == [try statement("echo a;")])
        #expect(diagnostic { _ = try Statement.parse("step; why") }?.message == "only one command is allowed here")
    }

    @Test func fillsVariablesInWhenItRuns() throws {
        let found = try statement("send $to \"$greeting, ${to}\" '$to'")
        #expect(try found.expand(["to": "bob", "greeting": "hi"]) == ["send", "bob", "hi, bob", "$to"])
        let error = diagnostic { _ = try found.expand(["to": "bob", "greetin": "hi"]) }
        #expect(error?.message == "unknown variable '$greeting'")
        #expect(error?.position.column == 11)
        #expect(error?.hint == "did you mean '$greetin'?")
        #expect(found.variables.map(\.name) == ["to", "greeting"])
    }

    @Test func keepsCaptureTargetsOfExpectations() throws {
        let found = try statement("expect frame out login seq=>$seq user=$user as $frame")
        #expect(
            try found.expand(["user": "bob"]) == [
                "expect", "frame", "out", "login", "seq=>$seq", "user=bob", "as", "$frame",
            ])
        #expect(found.capturedNames == ["seq", "frame"])
        #expect(found.variables.map(\.name) == ["user"])
        #expect(try statement("send as $x").variables.map(\.name) == ["x"])
    }
}
