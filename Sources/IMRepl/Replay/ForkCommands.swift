import IMDebugger
import IMShell
import IMSimulation
import IMText
import Recorder
import SansIO

/// The commands that run the scenario of a recording differently.
enum ForkCommands {
    static let all = [fork, mute, edit, delay]

    private static let fork = ReplayCommand(
        name: "fork", group: .changing, usage: "[POSITION] [--record FILE]",
        summary: "Continue from here interactively, in a simulated world.",
        notes: """
            Machines, links, frames in flight, faults and timers are as after the event. Every command of the shell
            works: login, net, wait, expect, server. 'quit' or 'end' returns. In a script, the lines up to there run in
            the fork. --record writes the fork to a new session, which begins with the events before it.
            """,
        examples: ["fork", "fork 41", "fork mark:kick --record other.pcapng"], arguments: [.position],
        options: ["--record"],
        check: { line in
            let line = try ForkLine(line)
            guard line.arguments.count <= 1 else { throw CommandFailure("unexpected argument '\(line.arguments[1])'") }
            _ = try line.arguments.first.map { try ReplayPosition($0) }
        },
        run: { session, line in
            let line = try ForkLine(line)
            let number =
                try line.arguments.first.map { try ReplayPosition($0).resolve(in: session.debug) } ?? session.position
            do {
                try session.beginFork(after: number, record: line.record)
            } catch let error as ShellError {
                throw CommandFailure(error.message)
            }
        })

    private static let mute = ReplayCommand(
        name: "mute", group: .changing, usage: "[N] [--all] [--record FILE]",
        summary: "Run the scenario again without an event, and compare.",
        notes: scenario
            + "\nAn event is a frame that arrives, a link that opens or closes, a timer, a command, a fault.",
        examples: ["mute 41", "mute"], arguments: [.position], options: ["--record", "--all"],
        check: { line in
            let line = try ForkLine(line)
            guard line.arguments.count <= 1 else { throw CommandFailure("unexpected argument '\(line.arguments[1])'") }
            _ = try line.number()
        },
        run: { session, line in
            let line = try ForkLine(line)
            let number = try line.number() ?? session.position
            guard number > 0 else { throw CommandFailure("there is no event here; give an event number: mute 41") }
            try session.whatIf(.mute, at: number, line)
        })

    private static let edit = ReplayCommand(
        name: "edit", group: .changing, usage: "N FIELD=VALUE [--all] [--record FILE]",
        summary: "Run the scenario again with a changed field of a frame or a command, and compare.",
        notes: scenario
            + "\nThe fields are those that 'show' prints: status, reason, user, epoch, text … Other fields decide a "
            + "login:"
            + "\nforced (of autologin), offline (of login), mode and credential of a login frame that reaches the server"
            + "\n(valid, expired, wrong, revoked, missing, tooOften), platform and device of a client's start.",
        examples: ["edit 17 status=token-expired", "edit 69 reason=server", "edit 12 credential=expired"],
        arguments: [.position, .none],
        options: ["--record", "--all"],
        check: { line in _ = try ForkLine(line).change() },
        run: { session, line in
            let line = try ForkLine(line)
            let (number, change) = try line.change()
            try session.whatIf(change, at: number, line)
        })

    private static let delay = ReplayCommand(
        name: "delay", group: .changing, usage: "N DURATION [--all] [--record FILE]",
        summary: "Run the scenario again with a later event, and compare.",
        notes: scenario + "\nA frame does not overtake another: later frames on the same link wait as well.",
        examples: ["delay 69 5s"], arguments: [.position, .none], options: ["--record", "--all"],
        check: { line in _ = try ForkLine(line).delay() },
        run: { session, line in
            let line = try ForkLine(line)
            let (number, interval) = try line.delay()
            try session.whatIf(.delay(interval), at: number, line)
        })

    private static let scenario = """
        Commands and faults come at their recorded times; the machines compute frames, timers and answers. The scenario
        continues after the recording's end until the outcome is stable: nothing changes for 3m, and no client is
        changing its state. It ends after 30m in any case; the last line prints which of the two. The recorded scenario
        continues for the same time. The states and callbacks of each client are compared.
        """
}

/// The arguments and options of a command that changes the scenario.
struct ForkLine {
    var arguments: [String] = []
    var record: String?
    var listsAll = false

    init(_ line: ReplayLine) throws {
        var words = line.words[...]
        while let word = words.popFirst() {
            switch word {
            case "--record":
                guard let path = words.popFirst(), !path.hasPrefix("--") else {
                    throw CommandFailure("--record takes a file")
                }
                record = path
            case "--all": listsAll = true
            default: arguments.append(word)
            }
        }
    }

    /// The first argument as the number of an event; nil if there is no argument.
    func number() throws -> UInt64? {
        guard let text = arguments.first else { return nil }
        guard let number = UInt64(text.hasPrefix("#") ? String(text.dropFirst()) : text) else {
            throw CommandFailure("'\(text)' is not an event number; 'list' shows the events")
        }
        return number
    }

    func change() throws -> (UInt64, WhatIf.Change) {
        guard arguments.count == 2, let number = try number(), let equals = arguments[1].firstIndex(of: "="),
            equals > arguments[1].startIndex
        else {
            throw CommandFailure("give an event number and FIELD=VALUE")
        }
        let value = String(arguments[1][arguments[1].index(after: equals)...])
        return (number, .edit(field: String(arguments[1][..<equals]), value: value))
    }

    func delay() throws -> (UInt64, Interval) {
        guard arguments.count == 2, let number = try number() else {
            throw CommandFailure("give an event number and a delay, for example 41 5s")
        }
        guard let interval = DurationText.signedInterval(arguments[1]) else {
            throw CommandFailure("'\(arguments[1])' is not a duration; use 250ms, 5s, 1m30s")
        }
        guard interval > .zero else {
            throw CommandFailure("invalid delay '\(arguments[1])': an event can only come later; 'mute' omits it")
        }
        return (number, interval)
    }
}

/// Checks the statements of a replay. Between `fork` and the end of the fork, the lines are commands of the shell.
struct ForkChecker {
    private var isInFork = false

    mutating func check(_ statement: Statement) -> (checked: CheckedStatement, errors: [Diagnostic]) {
        let name = statement.words.first?.literal ?? ""
        guard isInFork else {
            isInFork = ReplayCommands.named(name)?.name == "fork" && !statement.mustFail
            return (CheckedStatement(statement), ReplayCommands.check(statement))
        }
        if name == "end" || name == "quit" || name == "exit" {
            isInFork = false
            return (CheckedStatement(statement), [])
        }
        return CheckedStatement.check(statement)
    }
}
