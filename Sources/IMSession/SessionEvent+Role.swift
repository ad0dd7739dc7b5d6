import Recorder

// Where an event stands in a recording, told by what it is.

extension SessionEvent {
    /// What it is to a replay; nil for what cannot be read.
    package var role: EventRole? {
        switch content {
        case .header: .header
        case .clock: .clock
        case .start: .start
        case .stop: .stop
        case .input: .input
        case .effect: .effect
        case .environment: .environment
        case .mark: .mark
        case .keyframe: .keyframe
        case .closing: .closing
        case .unreadable: nil
        }
    }

    /// The channel that the recorder writes it to; nil for what cannot be read.
    package var channel: Channel? {
        switch content {
        case .input(.frame), .effect(.send): .transport
        case .input(.clientCommand), .input(.serverCommand), .effect(.complete), .effect(.notify): .sdk
        case .environment(.observed(let event)): event.channel
        case .unreadable: nil
        case .input, .effect, .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing: .runtime
        }
    }
}

extension LoggedEvent {
    /// The channel that an event of a machine would have.
    package var channel: Channel {
        switch kind {
        case .call, .return, .callback: .sdk
        case .frame: .transport
        case .life, .line: .runtime
        }
    }
}
