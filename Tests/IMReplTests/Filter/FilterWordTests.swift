import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell
@testable import IMText

/// A predefined word such as `kick` has the same meaning wherever a filter is allowed.
@Suite struct FilterWordTests {
    @Test(arguments: FilterWord.all.map(\.name)) func `a word finds the same events as its condition`(name: String)
        throws
    {
        let word = try #require(FilterWord.named(name))
        let session = try SessionLibrary.replay("c-05-kicked-in-every-state")
        #expect(try session.shown(by: name) == session.shown(by: word.filter))
    }

    @Test func `words and comparisons can be combined`() throws {
        let session = try SessionLibrary.replay("c-05-kicked-in-every-state")
        let kicks = try session.shown(by: "kick")
        #expect(!kicks.isEmpty)
        #expect(try session.shown(by: "kick and kind == frame").isEmpty)
        #expect(try session.shown(by: "not (not kick)") == kicks)
        #expect(try session.shown(by: "kick or reconnect and n < 0") == kicks)
        // After an operator, the word is a value and not a condition.
        #expect(try session.shown(by: "text =~ kick").count > kicks.count)
        #expect(try session.shown(by: "callback == onKick").count < session.shown(by: "callback").count)
    }

    @Test(arguments: [("kik", "did you mean 'kick'?"), ("transitio", "did you mean 'transition'?")])
    func `a misspelled word is reported`(text: String, hint: String) {
        #expect(throws: FilterError.self) { try Filter(parsing: text) }
        do throws(FilterError) {
            _ = try Filter(parsing: text)
        } catch {
            #expect(error.hint == hint)
        }
    }

    @Test func `completion offers the words, and expectations accept them`() throws {
        #expect(FilterCompletion.candidates(for: "ki").contains("kick"))
        #expect(FilterCompletion.candidates(for: "node == phone and rec").contains("reconnect"))
        #expect(try ExpectClause(words: ["event", "kick", "within", "5s"], isNegative: false).filter?.source == "kick")
        _ = try Played.recording(
            """
            #! imrepl script 1
            # profile: nim
            client new phone
            client new pad
            @phone login alice
            @pad login alice
            wait 2s
            @phone expect event kick
            @pad expect-none event kick or reconnect for 5s
            """)
    }
}
