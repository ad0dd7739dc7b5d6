import ArgumentParser

extension ImreplCommand {
    struct Wireshark: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: "wireshark", abstract: "Teach Wireshark to read recordings field by field.",
            discussion: """
                EXAMPLES:
                  imrepl wireshark --install
                  tshark -r kick.pcapng -Y 'imsession.state.to == "kicked"'
                  imrepl wireshark --print > /tmp/imsession.lua && tshark -X lua_script:/tmp/imsession.lua -r kick.pcapng

                Fields: imsession.node, .kind, .dir, .connection, .state.from, .state.to, .state.reason, .callback, .kick, \
                imsession.frame.type, and every field of a frame as imsession.frame.NAME, of another record as \
                imsession.record.NAME.
                """)

        @Flag(help: "Print the dissector, a Lua script.")
        var print = false

        @Flag(help: "Put it into the user's plugin folder.")
        var install = false

        @Flag(help: "Take it out again.")
        var uninstall = false

        @Flag(help: "Replace another version.")
        var force = false

        func validate() throws {
            guard [print, install, uninstall].count(where: { $0 }) <= 1 else {
                throw ValidationError("--print, --install and --uninstall exclude each other")
            }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            let request: WiresharkRequest =
                if print { .print } else if install { .install(overwrites: force) } else if uninstall {
                    .uninstall
                } else {
                    .explain
                }
            return try await entry.wireshark(request)
        }
    }
}
