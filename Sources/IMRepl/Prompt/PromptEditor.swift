import Foundation
import IMShell
import IMText
import LineEditing

/// Makes the line editors of the prompts, and their histories.
enum PromptEditor {
    /// An editor for a terminal. Returns a plain reader if the terminal does not support editing.
    static func make(_ options: TerminalEditor.Options) -> any LineEditor {
        do {
            return try TerminalEditor(options)
        } catch {
            return PlainLineReader(descriptor: STDIN_FILENO, source: "stdin", showsPrompt: true)
        }
    }

    /// A history without the lines that contain a secret.
    ///
    /// - Parameter profile: stored with each line.
    static func history(in folder: String, profile: String, _ output: any ShellOutput) -> HistoryFile {
        HistoryFile(
            folder: folder, stamp: { (Date(), profile) }, redact: { Secrets.containsSecret($0) ? nil : $0 },
            warn: { output.error($0) })
    }
}
