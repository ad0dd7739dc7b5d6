import ArgumentParser
import IMDebugger
import IMSession
import IMShell
import IMSimulation
import IMText
import SansIO

package enum ColorMode: String, CaseIterable, Sendable, ExpressibleByArgument {
    case always, never, auto
}

extension WorldKind: ExpressibleByArgument {}

/// The options of every entry point.
package struct CommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Colour: always, never, or only on a terminal.", valueName: "when"))
    package var color = ColorMode.auto

    @Option(help: ArgumentHelp("The folder for recordings and accounts.", valueName: "dir"))
    package var data: String?

    package var settings: CommonSettings { CommonSettings(color: color, dataFolder: data) }

    package func settings(_ jsonOption: JSONOption) -> CommonSettings {
        CommonSettings(color: color, dataFolder: data, asJSON: jsonOption.json)
    }

    package init() {}
}

package struct CommonSettings: Equatable, Sendable {
    package var color: ColorMode
    /// `nil`: `./sessions` if it exists, otherwise the user's data folder.
    package var dataFolder: String?
    /// True if answers are objects for programs.
    package var asJSON = false
}

// The library reads the options of `imrepl` itself before those of a subcommand, at any position. A subcommand with
// an option of the same name gets its value only through the same group.

package struct ProfileOption: ParsableArguments {
    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp(
            "The SDK: nim, zim, agora-chat, agora-rtm or wilddog; 'serve' takes several.",
            valueName: "name"))
    package var profiles: [String] = []

    package init() {}
}

struct RecordOption: ParsableArguments {
    @Option(help: ArgumentHelp("Record into this file.", valueName: "file"))
    var record: String?
}

package struct ForceOption: ParsableArguments {
    @Flag(help: "Replace an existing file; --record replaces only sessions.")
    package var force = false

    package init() {}
}

/// Shared with the program itself, which would otherwise read the flag as its own at any position.
struct StrictOption: ParsableArguments {
    @Flag(help: "Create no accounts and tokens automatically; a server admits no login without a credential.")
    var strict = false
}

package struct JSONOption: ParsableArguments {
    @Flag(help: "Print one JSON object a line, for programs; see 'imrepl help json'.")
    package var json = false

    package init() {}
}

struct ClockOption: ParsableArguments {
    @Option(help: ArgumentHelp("Show times since the start, wall clock times, or both.", valueName: "clock"))
    var clock = EventClock.Shown.relative
}

extension EventClock.Shown: ExpressibleByArgument {}

struct PagerOption: ParsableArguments {
    @Flag(help: "Do not use a pager for long answers.")
    var noPager = false
}

struct LineOption: ParsableArguments {
    @Option(
        name: .customShort("c"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Run this line instead of the input; can be given more than once.", valueName: "line"))
    var lines: [String] = []
}

/// The options of a world. The prompt, `run` and `test` accept them, before or after their name.
struct PlayOptions: ParsableArguments {
    @OptionGroup var profileOption: ProfileOption

    @Option(help: "Real sockets and time, or a simulated network in virtual time.")
    var world: WorldKind?

    @OptionGroup var serverOption: ServerOption

    var connect: String? { serverOption.connect }
    var tlsCa: String? { serverOption.tlsCa }

    @Option(
        help: ArgumentHelp("The random seed.", valueName: "number"),
        transform: WholeNumber.in(0...UInt64.max))
    var seed: UInt64?

    @Option(help: ArgumentHelp("The speed of the live world's clock; 20 is twenty times as fast.", valueName: "factor"))
    var timeScale: TimeScaleArgument?

    @OptionGroup var strictOption: StrictOption

    @Option(
        help: ArgumentHelp(
            "The wall clock time at the start: 2026-02-03T04:05:06Z or seconds since 1970.", valueName: "time"))
    var epoch: EpochArgument?

    @Option(help: ArgumentHelp("Exit with code 124 after this real time.", valueName: "duration"))
    var watchdog: DurationArgument?

    /// The last one given counts.
    var profile: String? { profileOption.profiles.last }

    func validate() throws {
        if let connect {
            guard connect.hasPrefix("ws://") || connect.hasPrefix("wss://") else {
                let hint = connect.contains("://") ? "" : "; did you mean 'ws://\(connect)'?"
                throw ValidationError("--connect takes ws://host:port or wss://host:port, not '\(connect)'\(hint)")
            }
            if world == .simulated { throw ValidationError("--connect needs the live world") }
        }
        if tlsCa != nil, connect?.hasPrefix("wss://") != true {
            throw ValidationError("--tls-ca needs --connect wss://host:port")
        }
        if timeScale != nil, world == .simulated {
            throw ValidationError("--time-scale needs the live world; virtual time does not wait")
        }
    }

    func settings(_ common: CommonOptions) -> ProgramSettings {
        var settings = ProgramSettings(color: common.color, watchdog: watchdog?.interval)
        settings.world.profile = profile
        settings.world.kind = world ?? (connect == nil ? nil : .live)
        settings.world.connect = connect
        settings.world.trustedCertificates = tlsCa
        settings.world.seed = seed
        settings.world.timeScale = timeScale?.factor
        settings.world.isStrict = strictOption.strict
        settings.world.epochNanoseconds = epoch?.nanoseconds
        settings.world.dataFolder = common.data
        return settings
    }
}

/// The options of a world, and of its use besides playing a test.
struct WorldOptions: ParsableArguments {
    @OptionGroup var play: PlayOptions
    @OptionGroup var recordOption: RecordOption

    @Flag(help: "Record nothing.")
    var noRecord = false

    @OptionGroup var forceOption: ForceOption

    var force: Bool { forceOption.force }

    @OptionGroup var lineOption: LineOption

    @OptionGroup var jsonOption: JSONOption

    @OptionGroup var pagerOption: PagerOption

    var commands: [String] { lineOption.lines }

    @Flag(help: "Do not read the user's imreplrc.")
    var noRc = false

    var record: String? { recordOption.record }

    func validate() throws {
        if record != nil, noRecord { throw ValidationError("--record and --no-record cannot both be given") }
    }

    func settings(_ common: CommonOptions) -> ProgramSettings {
        var settings = play.settings(common)
        settings.recording = noRecord ? .off : record.map { .file($0, overwrites: force) } ?? .automatic
        settings.readsRC = !noRc
        settings.asJSON = jsonOption.json
        settings.pages = !pagerOption.noPager
        return settings
    }
}

/// The options of a shell as plain values: of its world, and of the program around it.
struct ProgramSettings: Equatable, Sendable {
    enum Recording: Equatable, Sendable {
        /// In the default folder, under a name made from profile and time.
        case automatic
        /// An existing session is replaced only with `overwrites`, any other file never.
        case file(String, overwrites: Bool = false)
        case off
    }

    var world = WorldSettings()
    var recording = Recording.automatic
    var color = ColorMode.auto
    /// True only at the prompt: scripts do not read it.
    var readsRC = true
    var watchdog: Interval?
    /// True if answers are objects for programs.
    var asJSON = false
    /// True if long answers go through a pager.
    var pages = true
}

struct TimeScaleArgument: ExpressibleByArgument {
    var factor: Double

    init?(argument: String) {
        guard let factor = TimeScale.factor(argument) else { return nil }
        self.factor = factor
    }
}

struct EpochArgument: ExpressibleByArgument {
    var nanoseconds: Int64

    init?(argument: String) {
        guard let nanoseconds = EpochText.nanoseconds(argument) else { return nil }
        self.nanoseconds = nanoseconds
    }
}

/// The server; a separate group, because the library gives a subcommand's options to the program's of the same name
/// unless both declare them in one group.
struct ServerOption: ParsableArguments {
    @Option(help: ArgumentHelp("The server: ws://host:port or wss://host:port.", valueName: "url"))
    var connect: String?

    @Option(
        help: ArgumentHelp("Trust only this CA certificate (PEM).", valueName: "file"))
    var tlsCa: String?
}
