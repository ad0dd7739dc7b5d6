import Foundation
import IMLogs
import IMShell
import IMText
import Recorder

/// Reads log files, and opens recordings and logs alike.
package enum LogFile {
    /// The maximum number of bytes that are read.
    private static let bytesMax = 1 << 30

    /// Reads a whole log.
    ///
    /// - Parameter keepsTexts: true to keep the texts of messages, for a comparison with the log.
    /// - Throws: ``ShellError`` with the remedy.
    package static func read(
        _ path: String, formats: [String] = [], profile: String? = nil, keepsTexts: Bool = false
    ) throws -> ObservedLog {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            throw ShellError(message: "there is no file '\(path)', or it cannot be read", reason: .environment)
        }
        guard (attributes[.size] as? Int ?? 0) <= bytesMax else {
            throw ShellError(message: "'\(path)' is larger than 1 GiB; extract the relevant part", reason: .usage)
        }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) else {
            throw ShellError(message: "'\(path)' cannot be read", reason: .environment)
        }
        let date = attributes[.modificationDate] as? Date ?? Date()
        do {
            let reader = try self.reader(formats: formats, profile: profile, date: date, keepsTexts: keepsTexts)
            return try reader.read([UInt8](data))
        } catch let error as LogError {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
    }

    /// Reads a whole log that has at least one call, callback or frame.
    ///
    /// - Throws: ``ShellError`` with the remedy.
    package static func readEvents(
        _ path: String, formats: [String] = [], profile: String? = nil
    ) throws -> ObservedLog {
        let log = try read(path, formats: formats, profile: profile)
        guard log.understoodCount > 0 else { throw nothingUnderstood(path, log) }
        return log
    }

    /// Opens a recording, or reads a log as an observed session.
    ///
    /// - Returns: the session, and the log if the file is a log.
    /// - Throws: ``ShellError`` with the remedy.
    package static func openSession(
        _ path: String, formats: [String] = [], profile: String? = nil
    ) throws -> (reader: SessionReader, log: ObservedLog?) {
        guard path != "-", RecordingFiles.isText(path), !path.hasSuffix(".imr") else {
            return (try RecordingFiles.open(path), nil)
        }
        let log = try readEvents(path, formats: formats, profile: profile)
        do {
            return (try ObservedSession(log, of: path).reader(), log)
        } catch {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
    }

    /// A reader with the format files of the options.
    ///
    /// - Parameter date: the log's date, for times without a year.
    package static func reader(
        formats: [String], profile: String?, date: Date = Date(), keepsTexts: Bool = false
    ) throws -> LogReader {
        var options = LogOptions()
        options.profile = profile
        options.keepsTexts = keepsTexts
        options.year = Calendar(identifier: .gregorian).component(.year, from: date)
        for file in formats {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw ShellError(message: "there is no format file '\(file)', or it is not text", reason: .usage)
            }
            options.formats.append((file, text))
        }
        do {
            return try LogReader(options)
        } catch let error as LogFormatError {
            throw ShellError(message: error.description, reason: .usage)
        }
    }

    /// The counts of a log in one line.
    package static func summary(_ log: ObservedLog) -> String {
        let processes =
            (log.processCount == 1 ? "1 process" : "\(log.processCount) processes")
            + (log.endsInProcessHead ? " and the first lines of another" : "")
        return "\(log.understoodCount) of \(log.lineCount) lines understood, \(log.unknownCount) not; \(processes); "
            + "profile \(log.profile ?? "unknown"); read as \(log.formats.joined(separator: ", "))"
            + (log.hasTimes ? "" : "; no line has a time, so only the order of the lines is known")
    }

    /// The error for a log without any event.
    package static func nothingUnderstood(_ path: String, _ log: ObservedLog) -> ShellError {
        ShellError(
            message: "\(path): none of its \(log.lineCount) lines is a call or callback that a format describes; "
                + "'imrepl import \(path) --suggest --profile NAME -o FILE.json' drafts a format from its lines, and "
                + "--format FILE.json uses it (see Documentation/Logs.md)",
            reason: .unreadable)
    }
}
