import ArgumentParser
import IMShell

extension ImreplCommand {
    struct Wireshark: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.wireshark.rawValue, abstract: TerminalCommand.wireshark.abstract,
            discussion: """
                EXAMPLES:
                  imrepl wireshark --install
                  tshark --color -r kick.pcapng
                  tshark -r kick.pcapng -Y 'imsession.state.to == "kicked"'
                  imrepl wireshark --print > /tmp/imsession.lua && tshark -X lua_script:/tmp/imsession.lua -r kick.pcapng

                Fields: imsession.node, .kind, .dir, .connection, .state.from, .state.to, .state.reason, .callback, .kick, \
                imsession.frame.type. A field of a frame is imsession.frame.NAME, a field of another record is \
                imsession.record.NAME.

                --install also adds colouring rules for kicks, faults, online, other transitions and marks before the \
                user's rules (the profile Default). It changes no other rule, and --uninstall removes only these. \
                To import them manually: imrepl wireshark --print-colors > FILE, then View > Coloring Rules > Import.
                """)

        @Flag(help: "Print the dissector, a Lua script.")
        var print = false

        @Flag(help: "Print the colouring rules.")
        var printColors = false

        @Flag(
            help: "Install the dissector in the user's plugin folder, and the colouring rules in the user's settings.")
        var install = false

        @Flag(help: "Remove both.")
        var uninstall = false

        @OptionGroup var forceOption: ForceOption

        func validate() throws {
            guard [print, printColors, install, uninstall].count(where: { $0 }) <= 1 else {
                throw ValidationError("--print, --print-colors, --install and --uninstall exclude each other")
            }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            let request: WiresharkRequest =
                if print {
                    .print
                } else if printColors {
                    .printColours
                } else if install {
                    .install(overwrites: forceOption.force)
                } else if uninstall {
                    .uninstall
                } else {
                    .explain
                }
            return try await entry.wireshark(request)
        }
    }
}
