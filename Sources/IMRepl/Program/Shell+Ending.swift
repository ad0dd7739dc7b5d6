import IMShell

extension Shell {
    /// Completes the recording when a signal ends the program.
    func completesRecordingAtEnd() {
        let boxedShell = UncheckedSendableBox(shell: self)
        Signals.beforeEnd { boxedShell.shell.completeRecording() }
    }

    /// `@unchecked Sendable`: actions on the shell there wait for its turn.
    private struct UncheckedSendableBox: @unchecked Sendable {
        let shell: Shell
    }
}
