import Recorder
import SansIO
import Testing

/// A jump enters the file in its middle only if it gets all machines there.
@Suite struct KeyframeIndexTests {
    /// In an index that was thinned out, starts and keyframes are missing.
    @Test func aThinnedIndexLeadsToTheSameMachines() throws {
        var recording = Recording()
        // Without keyframes at their starts, so that every second entry is one machine's.
        for name in ["north", "south"] {
            let node = recording.writer.addNode(name)
            try recording.writer.start(node, payload: [5, 0, 0, 0, 0, 0, 0, 0], at: .zero, comment: "start \(name)")
            recording.machines.append((node, Elevator(seed: 5)))
        }
        for _ in 0..<3000 {
            recording.someInput()
            try recording.keyframes()
        }
        try recording.writer.close(recording.machines, at: recording.now)
        let reader = try SessionReader(bytes: recording.bytes)
        #expect(reader.index.count < 6000)
        let states = try reader.elevatorStates()
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: .max)
        for number in [reader.eventCount / 3, reader.eventCount / 2, reader.eventCount - 5] {
            #expect(try timeline.state(at: number).machines == states[Int(number)].machines, "at \(number)")
        }
    }

    /// A later end of a machine does not affect an earlier keyframe without it.
    @Test func aKeyframeWithoutARunningMachineIsNoEntryPoint() throws {
        var recording = Recording()
        try recording.startElevator("north")
        try recording.startElevator("south")
        func inputs() { for _ in 0..<100 { recording.someInput() } }
        inputs()
        // The end of one machine does not affect the other.
        try recording.restart()
        try recording.writer.keyframe(
            recording.machines[0].node, subject: recording.machines[0].subject, at: recording.now)
        inputs()
        let early = recording.writer.eventCount - 10
        recording.writer.stop(recording.machines.removeLast().node, at: recording.now, comment: "stop")
        inputs()
        try recording.keyframes()
        inputs()
        try recording.writer.close(recording.machines, at: recording.now)
        let reader = try SessionReader(bytes: recording.bytes)
        let states = try reader.elevatorStates()
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: .max)
        // The jump to the end searches for the machine's end.
        for number in [reader.eventCount - 5, early, reader.eventCount / 2] {
            #expect(try timeline.state(at: number).machines == states[Int(number)].machines, "at \(number)")
        }
    }
}
