import IMDebugger
import IMLive
import IMSession
import IMShell
import IMText

/// The actions of the command line. If a method throws a `ShellError` or an `ExportError`, the program ends with the
/// outcome of that error. Any other error gives `.internalError`.
protocol Entry {
    /// Runs `lines` (`-c`) if there are any. Otherwise it shows the prompt on a terminal, or runs the lines of a pipe
    /// as they arrive.
    func interactive(_ settings: ProgramSettings, lines: [String]) async throws -> Outcome
    func run(_ request: RunRequest) async throws -> Outcome
    func test(_ request: TestRequest) async throws -> Outcome
    func serve(_ request: ServeRequest) async throws -> Outcome
    func load(_ request: LoadRequest) async throws -> Outcome
    func sessions(_ action: SessionsAction, _ settings: CommonSettings) async throws -> Outcome
    func importLog(_ request: ImportRequest) async throws -> Outcome
    func checkLog(_ request: LogRequest) async throws -> Outcome
    func followLog(_ request: LogRequest) async throws -> Outcome
    func reproduce(_ request: ReproduceRequest) async throws -> Outcome
    func fit(_ request: LogRequest) async throws -> Outcome
    func verify(_ files: [String], _ settings: CommonSettings) async throws -> Outcome
    func show(_ request: ShowRequest) async throws -> Outcome
    func diff(_ left: String, _ right: String, _ settings: CommonSettings) async throws -> Outcome
    func export(_ request: ExportRequest) async throws -> Outcome
    func report(_ request: ReportRequest) async throws -> Outcome
    func redact(_ request: RedactRequest) async throws -> Outcome
    func replay(_ request: ReplayRequest) async throws -> Outcome
    func why(_ request: WhyRequest) async throws -> Outcome
    func whyNot(_ request: WhyRequest) async throws -> Outcome
    func mcp(_ request: MCPRequest) async throws -> Outcome
    func wireshark(_ request: WiresharkRequest) async throws -> Outcome
    func token(_ request: TokenRequest) async throws -> Outcome
    func shrink(_ request: ShrinkRequest) async throws -> Outcome
    func odds(_ request: OddsRequest) async throws -> Outcome
    func vary(_ request: VaryRequest) async throws -> Outcome
    func beginApp(_ request: AppInitRequest) async throws -> Outcome
    func searchApp(_ request: AppSearchRequest) async throws -> Outcome
    func rehearse(_ request: RehearseRequest) async throws -> Outcome
}

struct RunRequest: Equatable, Sendable {
    /// The path of the script; `-` for the standard input.
    var file: String
    /// The variables given after the file, in order.
    var variables: [KeyValue]
    var settings: ProgramSettings
}

struct TestRequest: Equatable, Sendable {
    /// Scripts, and folders to search for scripts.
    var paths: [String]
    /// True to replace the recordings next to the scripts by those of this run.
    var updates: Bool
    var junitFile: String?
    var settings: ProgramSettings
}

struct ServeRequest: Equatable, Sendable {
    var host: String
    /// The port; with 0 the system chooses one.
    var port: Int
    /// Certificate and key, both or none.
    var tls: TLSFiles?
    /// The applications to serve; all if empty.
    var profiles: [String]
    /// The file for the server's recording; nil records nothing.
    var record: String?
    /// True if nobody is admitted without a credential, and no account is made automatically.
    var isStrict = false
    /// True to continue without a recording while the recording cannot be written. False to reject logins during that
    /// time.
    var continuesUnrecorded = false
    /// The maximum number of connections in total, and from one address.
    var connectionsMax = 10_000
    var connectionsPerAddressMax = 1_000
    /// The origins of pages, and the host names, that are allowed in addition to the server's own addresses.
    var allowedOrigins: [String] = []
    var allowedHosts: [String] = []
    var settings: CommonSettings
    /// True to replace an existing session with `record`.
    var overwritesRecord = false

    /// True if other machines may reach the server.
    var isOffLoopback: Bool {
        !(host == "localhost" || host == "::1" || host.hasPrefix("127."))
    }

    struct TLSFiles: Equatable, Sendable {
        var certificate: String
        var key: String
    }
}

struct ShowRequest: Equatable, Sendable {
    /// A recording or a log: a file, or `last` for the newest recording.
    var file: String
    var filter: String?
    var clock = EventClock.Shown.relative
    /// Format files and the profile of a log.
    var formats: [String] = []
    var profile: String?
    /// True to print NDJSON instead of text.
    var asJSON: Bool
    var settings: CommonSettings
}
