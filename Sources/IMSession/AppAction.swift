import SansIO

/// An action on the process of an app.
public enum AppAction: Hashable, Sendable {
    /// Ends the process at once. The stored data remains, and nothing is sent to the server.
    case kill
    case start
    case background
    case foreground
    /// Closes the app in order: its open commands and connections end first (C-1). It cannot be started again.
    case close
    /// The device sleeps: no timer runs and no frame is read.
    case sleep(Interval)
}
