import Foundation
import IMClient
import IMDebugger
import IMProfiles
import IMSession
import IMText
import Recorder
import SansIO

// The commands about the shell itself: recording, settings, history, source, status.

extension Shell {
    package func record(_ action: RecordAction) throws {
        switch action {
        case .status:
            let (count, failure) = try world.perform { ($0.recording?.eventCount, $0.recordingFailure) }
            if let failure { return printResult("recording stopped: \(failure)") }
            guard let count else { return printResult("not recording; 'rec start' starts a recording") }
            printResult("recording \(count) events into \(recordingPath ?? "memory")")
        case .mark(let text):
            try world.perform { $0.mark(text) }
        case .start(let file, let overwrites):
            guard recordingPath == nil else {
                throw CommandFailure("recording into \(recordingPath ?? "") already; 'rec stop' ends it")
            }
            guard try world.perform({ $0.hasAllEvents }) else {
                throw CommandFailure(
                    "too late to start a recording: it needs the beginning of the session; start imrepl with --record")
            }
            do {
                try setRecording(
                    try files.begin(plan, path: file, overwrites: overwrites), hasAutomaticName: file == nil)
            } catch let error as ShellError {
                throw CommandFailure(error.message)
            }
            printResult("recording into \(recordingPath ?? "")")
        case .stop:
            guard let path = recordingPath else { throw CommandFailure("nothing is being recorded") }
            do {
                try setRecording(nil)
            } catch {
                throw CommandFailure("the recording could not be completed: \(error)")
            }
            printResult("recorded \(path)")
        }
    }

    package func sessions(_ action: SessionsAction) throws {
        try host.sessions(action, in: self)
    }

    package func history(_ request: HistoryRequest) throws {
        guard let typedLines else { throw CommandFailure("only the prompt on a terminal has a history") }
        let commands = typedLines().filter { request.text.map($0.contains) ?? true }
        commands.suffix(request.count).forEach(printResult)
    }

    /// The keys of the command `set`, each with a description of its values.
    package static let settingNames: [(key: String, takes: String)] = [
        ("clock", EventClock.Shown.allCases.map(\.rawValue).joined(separator: "|")),
        ("events", EventVerbosity.allCases.map(\.rawValue).joined(separator: "|")),
        ("expect.timeout", "a duration: how long an expectation without 'within' waits"),
        ("on-error", OnError.allCases.map(\.rawValue).joined(separator: "|")),
        ("pager", "on|off"), ("settle", "a duration: the virtual time after each command typed in the simulated world"),
    ]

    package func set(_ setting: KeyValue?) throws {
        guard let setting else {
            printResult("clock=\(output.clock.shown.rawValue)")
            printResult("events=\(settings.events.rawValue)")
            printResult(
                "expect.timeout=\(settings.expectTimeout?.text ?? (world.isSimulated ? "0s" : Self.liveTimeoutDefault.text))"
            )
            printResult("on-error=\(onError.rawValue)")
            printResult("pager=\(settings.pages ? "on" : "off")")
            printResult("settle=\(settings.settle.text)")
            return
        }
        switch setting.key {
        case "clock":
            guard let shown = EventClock.Shown(rawValue: setting.value) else {
                throw CommandFailure("clock takes \(Self.settingNames[0].takes)")
            }
            output.clock.shown = shown
            if output.clock.isMissing { printResult(EventClock.missing) }
        case "events":
            guard let shown = EventVerbosity(rawValue: setting.value) else {
                throw CommandFailure("events takes \(Self.settingNames[1].takes)")
            }
            setEventVerbosity(shown)
        case "pager":
            guard ["on", "off"].contains(setting.value) else { throw CommandFailure("pager takes on|off") }
            settings.pages = setting.value == "on"
        case "on-error":
            guard let choice = OnError(rawValue: setting.value) else {
                throw CommandFailure("on-error takes stop|continue: what happens after a line from a pipe fails")
            }
            settings.onError = choice
        case "expect.timeout", "settle":
            guard let interval = DurationText.interval(setting.value) else {
                throw CommandFailure("\(setting.key) takes a duration \(DurationText.range), such as 250ms, 5s, 2m")
            }
            if setting.key == "settle" { settings.settle = interval } else { settings.expectTimeout = interval }
        default:
            let names = Self.settingNames.map(\.key)
            let hint = Suggestion.nearest(to: setting.key, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw CommandFailure("there is no setting '\(setting.key)'\(hint) (\(names.joined(separator: ", ")))")
        }
    }

    package var onError: OnError { settings.onError ?? (output.form == .json || isInteractive ? .proceed : .stop) }

    static let sourceDepthMax = 16

    package func source(_ request: SourceRequest) throws {
        let folder = sourceFolders.last ?? "."
        let path = request.file.hasPrefix("/") ? request.file : "\(folder)/\(request.file)"
        guard sourceFolders.count < Self.sourceDepthMax else {
            throw CommandFailure("'\(request.file)' is sourced \(Self.sourceDepthMax) deep; does it source itself?")
        }
        let script: CheckedScript
        do {
            script = try ScriptFile.read(path, variables: Set(variables.keys).union(request.variables.map(\.key)))
            try ScriptFile.require(script, for: plan.dialect)
        } catch let error as ShellError {
            throw CommandFailure(error.message)
        }
        for variable in request.variables { variables[variable.key] = variable.value }
        sourceFolders.append(Folder.parent(of: path))
        defer { sourceFolders.removeLast() }
        try ScriptRunner(shell: self, script: script).run()
    }

    package func status() throws {
        let (time, clients) = try world.perform { core in
            (
                core.now,
                core.clients.map { id -> String in
                    let node = core[id]
                    let machine = node.client
                    return "\(node.name): \(machine?.state.name ?? "not running")"
                        + (machine?.user.map { " as \($0)" } ?? "") + (node.isAsleep ? ", asleep" : "")
                }
            )
        }
        printResult("\(plan.dialect.title), \(plan.kind.rawValue) world, seed \(plan.seed), at +\(time.secondsText)")
        if clients.isEmpty { printResult("no client yet; 'client new phone --platform ios' creates one") }
        clients.forEach(printResult)
        try record(.status)
    }

    package func quit(code: Int32?) throws {
        exitRequest = (true, code)
    }

    package func clear() throws { output.clearScreen() }

    package func show(_ text: String) throws {
        printResult(text)
    }

    package var library: LibraryIndex { .find() }

    package func help(_ text: String, _ object: AnswerObject) throws {
        guard output.form == .json else { return printResult(text) }
        printed.append(text)
        output.object(object)
    }
}

extension Shell {
    /// Which events are shown.
    package enum EventVerbosity: String, CaseIterable {
        /// All events, including heartbeats and timers.
        case all
        /// Commands, callbacks, states and frames, but no heartbeats.
        case normal
        /// Only commands, callbacks and states.
        case quiet
        case off

        package var minimumWeight: EventFormatter.Weight? {
            switch self {
            case .all: .detail
            case .normal: .traffic
            case .quiet: .essential
            case .off: nil
            }
        }
    }
}
