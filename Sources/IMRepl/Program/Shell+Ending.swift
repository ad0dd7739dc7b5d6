import IMShell

extension Shell {
    /// Completes the recording when a signal ends the program.
    func completesRecordingAtEnd() {
        let handed = Handed(shell: self)
        Signals.beforeEnd { handed.shell.completeRecording() }
    }

    /// `@unchecked Sendable`: actions on the shell there wait for its turn.
    private struct Handed: @unchecked Sendable {
        let shell: Shell
    }
}
