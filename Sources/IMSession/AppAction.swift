import SansIO

/// An action on the process of an app.
public enum AppAction: Hashable, Sendable {
    /// Ends the process: local data stays, nothing is sent.
    case kill
    case start
    case background
    case foreground
    /// Closes the app in order and for good.
    case close
    /// The device sleeps: no timer runs and no frame is read.
    case sleep(Interval)
}
