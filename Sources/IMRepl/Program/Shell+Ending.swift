import IMShell
import IMSimulation

extension Shell {
    /// Completes the recording when a signal ends the program.
    func completesRecordingAtEnd() {
        // `completeRecording` may run on another thread than the shell: it waits for a line that is running.
        let boxedShell = UncheckedSendableBox(self)
        Signals.beforeEnd { boxedShell.value.completeRecording() }
    }
}
