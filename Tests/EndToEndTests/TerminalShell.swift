import Foundation
import TestSupport

/// The small shell around the line editor (Tests/EditFixture) in a terminal, with its prompt and a way to cause events
/// while a line is edited.
struct TerminalShell {
    let terminal: Terminal
    /// The prompt, without its trailing blank.
    static let prompt = "demo>"
    /// The first column after the prompt and its blank.
    static let promptWidth = 6

    private let sandbox: Sandbox
    private let fifo: String

    /// - Parameters:
    ///   - underBash: true to start the shell from an interactive bash, for tests of job control.
    init(
        columns: Int = 80, rows: Int = 24, underBash: Bool = false, environment: [String: String] = [:],
        editrc: String? = nil
    ) throws {
        let program = try Program.path("edit-fixture", override: "IMREPL_EDIT_FIXTURE")
        sandbox = try Sandbox()
        let state = sandbox.path
        fifo = state + "/events"
        mkfifo(fifo, 0o600)
        var values = ["FIXTURE_STATE": state, "FIXTURE_FIFO": fifo]
        if let editrc {
            try editrc.write(toFile: state + "/editrc", atomically: true, encoding: .utf8)
            values["EDITRC"] = state + "/editrc"
        }
        values.merge(environment) { _, given in given }
        if underBash {
            values["PS1"] = "$ "
            values["SHELL_UNDER_TEST"] = program
            terminal = try Terminal(
                ["bash", "--norc", "--noprofile", "-i"], columns: columns, rows: rows, environment: values)
            try terminal.wait { $0.current == "$" }
            try terminal.enter("\"$SHELL_UNDER_TEST\"")
        } else {
            terminal = try Terminal([program], columns: columns, rows: rows, environment: values)
        }
        try terminal.wait { $0.current.hasPrefix(Self.prompt) && $0.column == Self.promptWidth }
    }

    /// Makes another thread of the shell print lines, each as a separate event.
    func printEvents(_ events: String...) throws {
        // Opened for reading and writing, so that `open` does not wait for a reader.
        let descriptor = open(fifo, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Terminal.Failure(description: "\(fifo) cannot be opened") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(events.map { $0 + "\n" }.joined().utf8))
    }
}
