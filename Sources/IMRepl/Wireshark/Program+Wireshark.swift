import Foundation
import IMExport
import IMShell

/// The request of `imrepl wireshark`.
enum WiresharkRequest: Equatable, Sendable {
    /// Explain the dissector and its location.
    case explain
    case print
    case printColours
    case install(overwrites: Bool)
    case uninstall
}

extension Program {
    func wireshark(_ request: WiresharkRequest) async throws -> Outcome {
        switch request {
        case .print: TerminalOutput(colour: false).verbatim(WiresharkDissector.script)
        case .printColours: ColouringRules.lines.forEach { TerminalOutput(colour: false).verbatim($0) }
        case .explain: WiresharkInstallation().explain()
        case .install(let overwrites): try WiresharkInstallation().install(overwrites: overwrites)
        case .uninstall: try WiresharkInstallation().uninstall()
        }
        return .ok
    }
}

/// The dissector and the colouring rules in the user's Wireshark folders.
private struct WiresharkInstallation {
    private let folders = WiresharkFolders.find()
    private let output = TerminalOutput(colour: false)
    private let script = Data(WiresharkDissector.script.utf8)

    private var scriptPath: String { folders.plugins + "/imsession.lua" }
    private var coloursPath: String { folders.configuration + "/" + ColouringRules.fileName }

    func explain() {
        let state =
            switch FileManager.default.contents(atPath: scriptPath) {
            case nil: "not installed"
            case script?: "installed"
            case .some: "another version is installed"
            }
        let areColoursInstalled = text(coloursPath).map { ColouringRules.areInstalled(in: $0) } ?? false
        output.line("the dissector: \(scriptPath) (\(state))")
        output.line("the colours:   \(coloursPath) (\(areColoursInstalled ? "installed" : "not installed"))")
        output.line(
            "imrepl wireshark --install     installs them; Wireshark and tshark load them at their next start")
        output.line("imrepl wireshark --print       prints the dissector, as for tshark -X lua_script:FILE")
        output.line("imrepl wireshark --print-colors  prints the colours, to import with View > Coloring Rules")
        output.line("then: tshark --color -r last.pcapng -Y 'imsession.state.to == \"kicked\"'")
    }

    // MARK: Installing

    func install(overwrites: Bool) throws {
        let present = FileManager.default.contents(atPath: scriptPath)
        if present == script {
            output.line("\(scriptPath) is already installed")
        } else if present != nil, !overwrites {
            throw ShellError(
                message: "'\(scriptPath)' is another version; --force replaces it", reason: .environment)
        } else {
            try Folder.make(folders.plugins)
            try write(script, to: scriptPath)
            output.line("wrote \(scriptPath)")
        }
        try installColours()
    }

    private func installColours() throws {
        guard let rules = try currentRules() else {
            output.line(
                "the colours: cannot read Wireshark's default rules, which a new file would hide; "
                    + "'imrepl wireshark --print-colors > FILE', then View > Coloring Rules > Import")
            return
        }
        let coloured = ColouringRules.added(to: rules)
        guard text(coloursPath) != coloured else { return output.line("\(coloursPath) already has the colours") }
        try Folder.make(folders.configuration)
        try write(Data(coloured.utf8), to: coloursPath)
        output.line("added \(ColouringRules.lines.count) colouring rules to \(coloursPath)")
    }

    /// The current colouring rules: those of the user, or Wireshark's default if there are none. Nil if the default is
    /// unknown.
    private func currentRules() throws -> String? {
        if FileManager.default.fileExists(atPath: coloursPath) {
            guard let text = text(coloursPath) else {
                throw ShellError(message: "'\(coloursPath)' cannot be read as text", reason: .environment)
            }
            return text
        }
        return globalRules
    }

    private var globalRules: String? {
        folders.globalConfiguration.flatMap { text($0 + "/" + ColouringRules.fileName) }
    }

    // MARK: Uninstalling

    func uninstall() throws {
        if FileManager.default.fileExists(atPath: scriptPath) {
            try remove(scriptPath)
        } else {
            output.line("there is no \(scriptPath)")
        }
        guard let coloured = text(coloursPath), ColouringRules.areInstalled(in: coloured) else { return }
        let rest = ColouringRules.removed(from: coloured)
        // If only the default rules remain, imrepl created the file.
        if rest == globalRules { return try remove(coloursPath) }
        try write(Data(rest.utf8), to: coloursPath)
        output.line("removed the colouring rules from \(coloursPath)")
    }

    // MARK: Files

    private func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private func remove(_ path: String) throws {
        guard unlink(path) == 0 else {
            throw ShellError(
                message: "'\(path)' cannot be removed: \(String(cString: strerror(errno)))", reason: .environment)
        }
        output.line("removed \(path)")
    }

    /// Writes a file. If the path is a symbolic link, its target is written: users often store settings elsewhere.
    private func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path).resolvingSymlinksInPath(), options: .atomic)
        } catch {
            throw ShellError(message: "'\(path)' cannot be written", reason: .environment)
        }
    }
}
