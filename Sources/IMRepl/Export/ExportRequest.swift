import ArgumentParser
import IMExport

extension ExportFormat: ExpressibleByArgument {}

struct ExportRequest: Equatable, Sendable {
    /// A file or `last`.
    var file: String
    var format: ExportFormat
    /// A file, or `-` for stdout; nil leaves the choice to the format.
    var target: String?
    /// True if an existing file may be replaced.
    var overwrites: Bool
    var settings: CommonSettings
}
