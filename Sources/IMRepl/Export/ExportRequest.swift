import ArgumentParser
import IMExport

extension ExportFormat: ExpressibleByArgument {}

struct ExportRequest: Equatable, Sendable {
    /// A file or `last`.
    var file: String
    var format: ExportFormat
    /// A file, or `-` for stdout; nil leaves the choice to the form.
    var target: String?
    /// Whether a file that is there already may be replaced.
    var overwrites: Bool
    var settings: CommonSettings
}
