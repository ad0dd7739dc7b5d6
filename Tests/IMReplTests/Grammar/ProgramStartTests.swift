import SansIO
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell
@testable import IMText

@Suite struct ProgramStartTests {
    /// An entry point that records the requests of the command line and runs nothing.
    final class RecordingEntry: Entry {
        var calls: [String] = []
        var settings: ProgramSettings?
        var runs: [RunRequest] = []
        var tests: [TestRequest] = []
        var serves: [ServeRequest] = []
        var loads: [LoadRequest] = []
        var shows: [ShowRequest] = []
        var reports: [ReportRequest] = []
        var failure: (any Error)?

        private func note(_ call: String) throws -> Outcome {
            calls.append(call)
            if let failure { throw failure }
            return .ok
        }

        func interactive(_ settings: ProgramSettings, lines: [String]) throws -> Outcome {
            self.settings = settings
            return try note("interactive \(lines)")
        }
        func run(_ request: RunRequest) throws -> Outcome {
            runs.append(request)
            return try note("run")
        }
        func test(_ request: TestRequest) throws -> Outcome {
            tests.append(request)
            return try note("test")
        }
        func serve(_ request: ServeRequest) throws -> Outcome {
            serves.append(request)
            return try note("serve")
        }
        func load(_ request: LoadRequest) throws -> Outcome {
            loads.append(request)
            return try note("load")
        }
        func sessions(_ action: SessionsAction, _ settings: CommonSettings) throws -> Outcome {
            try note("sessions \(action)")
        }
        func importLog(_ request: ImportRequest) async throws -> Outcome { .ok }
        func checkLog(_ request: LogRequest) async throws -> Outcome { .ok }
        func rehearse(_ request: RehearseRequest) async throws -> Outcome { .ok }
        func followLog(_ request: LogRequest) async throws -> Outcome { .ok }
        func reproduce(_ request: ReproduceRequest) async throws -> Outcome { .ok }
        func fit(_ request: LogRequest) async throws -> Outcome { .ok }
        func verify(_ files: [String], _ settings: CommonSettings) throws -> Outcome { try note("verify \(files)") }
        func show(_ request: ShowRequest) throws -> Outcome {
            shows.append(request)
            return try note("show")
        }
        func diff(_ left: String, _ right: String, _ settings: CommonSettings) throws -> Outcome {
            try note("diff \(left) \(right)")
        }
        func export(_ request: ExportRequest) throws -> Outcome {
            try note("export \(request.file) \(request.format.rawValue) \(request.target ?? "nowhere")")
        }
        func report(_ request: ReportRequest) throws -> Outcome {
            reports.append(request)
            return try note("report")
        }
        func redact(_ request: RedactRequest) throws -> Outcome { try note("redact \(request.file)") }
        func shrink(_ request: ShrinkRequest) throws -> Outcome {
            try note("shrink \(request.source) \(request.condition) \(request.target ?? "-")")
        }
        func odds(_ request: OddsRequest) throws -> Outcome {
            try note("odds \(request.file) \(request.condition) \(request.runs) \(request.timing)")
        }
        func vary(_ request: VaryRequest) throws -> Outcome {
            try note("vary \(request.file) \(request.condition ?? "-") \(request.runs) \(request.kinds.count)")
        }
        func beginApp(_ request: AppInitRequest) throws -> Outcome { try note("app init \(request.folder)") }
        func searchApp(_ request: AppSearchRequest) throws -> Outcome { try note("app search \(request.folder)") }
        func token(_ request: TokenRequest) throws -> Outcome {
            try note("token \(request.files) \(request.app ?? "-") \(request.session ?? "-")")
        }
        func why(_ request: WhyRequest) throws -> Outcome {
            try note("why \(request.file) \(request.about ?? "-")")
        }
        func whyNot(_ request: WhyRequest) throws -> Outcome {
            try note("why-not \(request.file) \(request.about ?? "-")")
        }
        func mcp(_ request: MCPRequest) throws -> Outcome { try note("mcp \(request.folder) \(request.runsScripts)") }
        func wireshark(_ request: WiresharkRequest) throws -> Outcome { try note("wireshark \(request)") }
        func replay(_ request: ReplayRequest) throws -> Outcome {
            try note("replay \(request.file) \(request.lines) \(request.script ?? "-")")
        }
    }

    private func start(
        _ line: String, _ entry: RecordingEntry = RecordingEntry()
    ) async throws -> (entry: RecordingEntry, outcome: Outcome, out: String, error: String) {
        let arguments = try Lexer.line(of: line).words.compactMap(\.literal)
        var out = ""
        var errors = ""
        let outcome = await ProgramStart(arguments: arguments)
            .perform(entry, out: { out += $0 + "\n" }, error: { errors += $0 + "\n" })
        return (entry, outcome, out, errors)
    }

    @Test func hasNeutralDefaults() async throws {
        let found = try await start("")
        #expect(found.outcome == .ok)
        #expect(found.entry.calls == ["interactive []"])
        #expect(found.entry.settings == ProgramSettings())
        #expect(found.entry.settings?.world == WorldSettings())
        #expect(found.entry.settings?.recording == .automatic)
        #expect(found.entry.settings?.readsRC == true)
    }

    @Test func readsEveryOptionOfTheWorld() async throws {
        let found = try await start(
            """
            --profile nim --world live --seed 42 --time-scale 20 --record f.pcapng --strict --epoch 2026-02-03T04:05:06Z \
            --no-rc --watchdog 60s --color never --data d -c 'login alice' -c --help
            """)
        #expect(found.error == "")
        #expect(found.entry.calls == [#"interactive ["login alice", "--help"]"#])
        var world = WorldSettings()
        world.profile = "nim"
        world.kind = .live
        world.seed = 42
        world.timeScale = 20
        world.isStrict = true
        world.epochNanoseconds = 1_770_091_506_000_000_000
        world.dataFolder = "d"
        #expect(
            found.entry.settings
                == ProgramSettings(
                    world: world, recording: .file("f.pcapng"), color: .never, readsRC: false, watchdog: .seconds(60)))
        let remote = try await start("--connect wss://h:1 --no-record").entry.settings
        #expect(remote?.world.kind == .live)
        #expect(remote?.recording == .off)
    }

    @Test func takesOptionsBeforeAndAfterAScript() async throws {
        let found = try await start("--profile nim --seed 1 run a.imr user=bob text='a b' --seed 2 --world simulated")
        let request = try #require(found.entry.runs.first)
        #expect(request.file == "a.imr")
        #expect(request.variables == [KeyValue(key: "user", value: "bob"), KeyValue(key: "text", value: "a b")])
        #expect(request.settings.world.profile == "nim")
        #expect(request.settings.world.seed == 2)
        #expect(request.settings.world.kind == .simulated)
        #expect(try await start("run -").entry.runs.first?.file == "-")
        let tests = try await start("test sessions a.imr --update --junit out.xml --world live").entry.tests
        #expect(tests.first?.paths == ["sessions", "a.imr"])
        #expect(tests.first?.updates == true)
        #expect(tests.first?.junitFile == "out.xml")
    }

    @Test func parsesEveryOtherSubcommand() async throws {
        #expect(try await start("sessions").entry.calls == ["sessions list"])
        #expect(try await start("sessions search 'a == b'").entry.calls == [#"sessions search("a == b")"#])
        #expect(try await start("sessions show last --data d").entry.calls == [#"sessions show("last")"#])
        #expect(try await start("verify a b").entry.calls == [#"verify ["a", "b"]"#])
        #expect(try await start("diff a b").entry.calls == ["diff a b"])
        let show = try await start("--color always show last --filter 'x == 1' --json").entry.shows.first
        #expect(
            show
                == ShowRequest(
                    file: "last", filter: "x == 1", asJSON: true,
                    settings: CommonSettings(color: .always, dataFolder: nil)))
        let common = CommonSettings(color: .auto, dataFolder: nil)
        #expect(
            try await start("report last --note 'it hangs' --redact -o bug.pcapng --force").entry.reports == [
                ReportRequest(
                    file: "last", prints: false, note: .text("it hangs"), target: "bug.pcapng", isRedacted: true,
                    overwrites: true, settings: common)
            ])
        let printed = try await start("report --print bug.pcapng").entry.reports.first
        #expect(printed?.prints == true)
        #expect(try await start("report last --note-file -").entry.reports.first?.note == .file("-"))
        let serve = try await start("serve --listen [::1]:0 --tls-cert c --tls-key k --profile zim --profile nim")
            .entry.serves.first
        #expect(serve?.host == "::1")
        #expect(serve?.port == 0)
        #expect(serve?.profiles == ["zim", "nim"])
        #expect(serve?.tls == .init(certificate: "c", key: "k"))
        #expect(try await start("serve").entry.serves.first?.port == 7000)
        #expect(try await start("serve --listen 7001").entry.serves.first?.port == 7001)
        #expect(try await start("serve --listen 7001").entry.serves.first?.host == "127.0.0.1")
        #expect(try await start("serve").entry.serves.first?.record == nil)
        #expect(try await start("serve --profile nim --record s.pcapng").entry.serves.first?.record == "s.pcapng")
    }

    @Test(arguments: [
        ("--bogus", "Unknown option '--bogus'"), ("run", "Missing expected argument '<file>'"),
        ("run a.imr bogus", "The value 'bogus' is invalid for '<name=value>'"),
        ("bogus", "unexpected argument 'bogus'"),
        ("scenario.imr", "did you mean 'imrepl run scenario.imr'?"),
        ("a.pcapng", "did you mean 'imrepl replay a.pcapng'?"),
        ("last", "did you mean 'imrepl replay last'?"), ("rules", "did you mean 'imrepl help rules'?"),
        ("version", "did you mean 'imrepl --version'?"), ("Show last", "did you mean 'imrepl show'?"),
        ("login alice", "'login' is a prompt command: start 'imrepl' and type it, or use imrepl -c 'login …'"),
        ("help frobnicate", "there is no command 'frobnicate'"), ("help verfy", "did you mean 'verify'?"),
        ("help lgoin", "did you mean 'login'?"), ("help rules xyzzy", "no rule matches 'xyzzy'"),
        ("verfy x", "did you mean 'imrepl verify'?"),
        ("--record f --no-record", "--record and --no-record cannot both be given"),
        ("--connect h:1", "did you mean 'ws://h:1'?"),
        ("--connect ws://h:1 --world simulated", "needs the live world"),
        ("--world simulated --time-scale 2", "virtual time"), ("--time-scale 0", "'0' is invalid"),
        ("--seed -1", "Missing value for '--seed <number>'"), ("--watchdog 5", "'5' is invalid"),
        ("--epoch yesterday", "'yesterday' is invalid"), ("--world moon", "'moon' is invalid"),
        ("serve --tls-cert c", "--tls-cert and --tls-key belong together"),
        ("serve --listen here", "'here' is invalid"),
        ("--profile nim verify a", "'verify' does not take '--profile'"),
        ("--data d --strict show a", "'show' does not take '--strict'"), ("-c 'login a' run f", "-c and a script"),
        ("replay last --script f -c step", "-c and --script"), ("export last --as har", "'har' is invalid"),
        ("report last --note a --note-file b", "--note and --note-file"),
        ("report last --print --redact", "takes no other options"),
        ("report last -o ''", "-o needs a file"),
    ])
    func endsWithUsageAndRunsNothing(line: String, message: String) async throws {
        let found = try await start(line)
        #expect(found.outcome == .usage)
        #expect(found.entry.calls == [])
        #expect(found.out == "")
        #expect(found.error.contains(message), "\(found.error)")
        #expect(found.error.hasPrefix("imrepl: "), "\(found.error)")
    }

    @Test func printsHelpAndVersionToStdout() async throws {
        for line in ["--help", "help", "run --help", "help sessions", "sessions search -h"] {
            let found = try await start(line)
            #expect(found.outcome == .ok)
            #expect(found.out.contains("USAGE: imrepl"), "\(line)")
            #expect(found.error == "")
            #expect(found.entry.calls == [])
        }
        for (line, text) in [
            ("help login", "login: Log in a user manually."), ("help server account", "server account add"),
            ("help rules nim-4", "NIM-4 "), ("help filter", "A filter is"), ("help scripts", "#! imrepl script 1"),
        ] {
            let found = try await start(line)
            #expect(found.outcome == .ok && found.out.contains(text), "\(line)")
            #expect(found.entry.calls == [])
        }
        #expect(try await start("--version").out == "0.1.0\n")
        #expect(try await start("--help").out.contains("imrepl run scenario.imr user=alice"))
    }

    @Test func turnsErrorsIntoTheirOutcome() async throws {
        let entry = RecordingEntry()
        entry.failure = ShellError(message: "no such file", reason: .environment)
        let found = try await start("verify x", entry)
        #expect(found.outcome == .environment)
        #expect(found.error == "imrepl: no such file\n")
        entry.failure = CommandFailure("odd")
        #expect(try await start("verify x", entry).outcome == .internalError)
    }

    @Test func keepsTheDocumentedExitCodes() {
        #expect(
            Outcome.named.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 70, 124, 129, 130, 131, 141, 143])
    }
}
