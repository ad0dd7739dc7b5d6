import Recorder

// The role and the channel with which the recorder stores an event, derived from the content of the event.

extension SessionEvent {
    /// The role of the event in a replay; nil for an unreadable event.
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

    /// The channel on which the recorder writes the event; nil for an unreadable event.
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
    /// The channel of the corresponding event of a machine.
    package var channel: Channel {
        switch kind {
        case .call, .return, .callback: .sdk
        case .frame: .transport
        case .life, .line: .runtime
        }
    }
}
