import IMShell

extension Shell {
    /// Has the recording completed when the program is ended from outside.
    func completesRecordingAtEnd() {
        let handed = Handed(shell: self)
        Signals.beforeEnd { handed.shell.completeRecording() }
    }

    /// `@unchecked Sendable`: what is done with the shell there waits for its turn.
    private struct Handed: @unchecked Sendable {
        let shell: Shell
    }
}
