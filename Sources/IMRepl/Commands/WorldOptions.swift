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

/// The options of every subcommand.
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
    /// The folder for recordings and accounts. Nil for `./sessions` if it exists, otherwise for the user's data folder.
    package var dataFolder: String?
    /// True to print JSON objects instead of text.
    package var asJSON = false
}

// The ArgumentParser library reads the options of `imrepl` before those of a subcommand, at any position. So if
// `imrepl` and a subcommand have an option of the same name, both must declare it in the same group. Otherwise the
// subcommand does not receive the value. This is why many groups have only one option.

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

/// A group that `imrepl` and `serve` share. If each declared the flag itself, `serve` would not receive its value.
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

/// The options of a world, for the prompt, `run` and `test`. They are valid before and after the name of the
/// subcommand.
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

    /// The SDK. If `--profile` is repeated, the last one counts.
    var profile: String? { profileOption.profiles.last }

    func validate() throws {
        if let connect {
            try ServerOption.requireURL(connect)
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

/// The options of a world, and those that only the prompt and `run` have.
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

/// The options of a world and of the program, as plain values.
struct ProgramSettings: Equatable, Sendable {
    enum Recording: Equatable, Sendable {
        /// A new file in the default folder, with a name made from profile and time.
        case automatic
        /// The file at that path. An existing session is replaced only if `overwrites` is true. Any other existing file
        /// is never replaced.
        case file(String, overwrites: Bool = false)
        case off
    }

    var world = WorldSettings()
    var recording = Recording.automatic
    var color = ColorMode.auto
    /// True if the prompt reads the user's imreplrc. Scripts never do.
    var readsRC = true
    var watchdog: Interval?
    /// True to print JSON objects instead of text.
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

/// The server. `imrepl` and `load` share this group. If each declared the options itself, `load` would not receive
/// their values.
struct ServerOption: ParsableArguments {
    @Option(help: ArgumentHelp("The server: ws://host:port or wss://host:port.", valueName: "url"))
    var connect: String?

    @Option(
        help: ArgumentHelp("Trust only this CA certificate (PEM).", valueName: "file"))
    var tlsCa: String?

    static func requireURL(_ address: String) throws {
        guard !address.hasPrefix("ws://"), !address.hasPrefix("wss://") else { return }
        let hint = address.contains("://") ? "" : "; did you mean 'ws://\(address)'?"
        throw ValidationError("--connect takes ws://host:port or wss://host:port, not '\(address)'\(hint)")
    }
}
