import IMShell
import IMSimulation

extension Shell {
    /// Completes the recording when a signal ends the program.
    func completesRecordingAtEnd() {
        // Actions on the shell there wait for its turn.
        let boxedShell = UncheckedSendableBox(self)
        Signals.beforeEnd { boxedShell.value.completeRecording() }
    }
}
