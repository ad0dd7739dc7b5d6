import Foundation

/// What `imrepl wireshark` is to do.
enum WiresharkRequest: Equatable, Sendable {
    /// Say what the dissector is and where it goes.
    case explain
    case print
    case install(overwrites: Bool)
    case uninstall
}

extension Program {
    func wireshark(_ request: WiresharkRequest) async throws -> Outcome {
        let path = Folder.wiresharkPlugins + "/imsession.lua"
        let present = FileManager.default.contents(atPath: path)
        let script = Data(WiresharkDissector.script.utf8)
        let output = Output(colour: false)
        switch request {
        case .print:
            output.line(WiresharkDissector.script)
        case .explain:
            let state =
                switch present {
                case nil: "not there"
                case script?: "there"
                case .some: "another version is there"
                }
            output.line("the dissector: \(path) (\(state))")
            output.line(
                "imrepl wireshark --install     puts it there; Wireshark and tshark load it at their next start")
            output.line("imrepl wireshark --print       prints it, as for tshark -X lua_script:FILE")
            output.line("then: tshark -r last.pcapng -Y 'imsession.state.to == \"kicked\"'")
        case .install(let overwrites):
            if present == script {
                output.line("\(path) is there already")
            } else if present != nil, !overwrites {
                throw EntryError(
                    message: "'\(path)' is another version; --force replaces it", outcome: .environment)
            } else {
                try Folder.make(Folder.wiresharkPlugins)
                try write(script, to: path)
                output.line("wrote \(path)")
            }
        case .uninstall:
            guard present != nil else {
                output.line("there is no \(path)")
                return .ok
            }
            guard unlink(path) == 0 else {
                throw EntryError(
                    message: "'\(path)' cannot be removed: \(String(cString: strerror(errno)))", outcome: .environment)
            }
            output.line("removed \(path)")
        }
        return .ok
    }

    private func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw EntryError(message: "'\(path)' cannot be written", outcome: .environment)
        }
    }
}

extension Folder {
    /// Where Wireshark looks for a user's plugins, on Linux and macOS.
    fileprivate static var wiresharkPlugins: String {
        (ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()) + "/.local/lib/wireshark/plugins"
    }
}
