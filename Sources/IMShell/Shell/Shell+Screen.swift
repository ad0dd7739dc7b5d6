import Foundation
import IMDebugger
import IMProfiles
import IMSession
import IMSimulation
import IMText

extension Shell {
    /// Prints events. `@unchecked Sendable`: the world's thread prints events while the shell's thread sets the
    /// verbosity; `lock` guards `minimumWeight` and `dialect`.
    package final class Screen: @unchecked Sendable {
        private let output: any ShellOutput
        private let lock = NSLock()
        private var minimumWeight: EventFormatter.Weight? = .traffic
        /// The dialect that names the callbacks in JSON output; nil for text output.
        private var dialect: (any Dialect)?
        var showsServerFrames = true
        /// The maximum length of an event's text in bytes. Longer texts are cut; nil for no maximum.
        package var textBytesMax: Int?

        package init(output: any ShellOutput) {
            self.output = output
        }

        func set(_ shown: EventVerbosity) {
            lock.withLock { minimumWeight = shown.minimumWeight }
        }

        func setDialect(_ dialect: any Dialect) {
            lock.withLock { self.dialect = dialect }
        }

        func shows(_ event: SessionEvent, _ weight: EventFormatter.Weight) -> Bool {
            guard let shown = lock.withLock({ minimumWeight }), weight >= shown else { return false }
            // The client and the server both record a frame. It is shown only for the client.
            return event.node != WorldCore.serverName || weight != .traffic || showsServerFrames
        }

        package func show(_ event: SessionEvent, _ weight: EventFormatter.Weight, _ text: () -> String) {
            guard shows(event, weight) else { return }
            let known = lock.withLock { dialect }
            guard let known else {
                return output.line(
                    EventText.line(event, cut(text()), columns: output.columns, clock: output.clock))
            }
            output.event(event, cut(text()), dialect: known)
        }

        func printResult(_ text: String) { output.line(text) }

        private func cut(_ text: String) -> String {
            guard let textBytesMax, text.utf8.count > textBytesMax else { return text }
            return "\(String(decoding: text.utf8.prefix(textBytesMax), as: UTF8.self))… (\(text.utf8.count) bytes)"
        }
    }
}
