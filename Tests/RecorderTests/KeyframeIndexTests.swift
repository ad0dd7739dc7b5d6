import Recorder
import SansIO
import Testing

/// Tests that a jump starts reading in the middle of a file only if it finds the state of every machine there.
@Suite struct KeyframeIndexTests {
    /// A long index is thinned out, so some starts and keyframes are missing in it.
    @Test func aThinnedIndexLeadsToTheSameMachines() throws {
        var recording = Recording()
        // The machines have no keyframes at their starts, so every second entry of the index belongs to the same
        // machine.
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

    /// A jump cannot start at a keyframe that lacks a running machine, even if the machine ends later.
    @Test func aKeyframeWithoutARunningMachineIsNoEntryPoint() throws {
        var recording = Recording()
        try recording.startElevator("north")
        try recording.startElevator("south")
        func inputs() { for _ in 0..<100 { recording.someInput() } }
        inputs()
        // The restart of one machine does not affect the other one.
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
        // The jump to the end has to detect that the machine has ended.
        for number in [reader.eventCount - 5, early, reader.eventCount / 2] {
            #expect(try timeline.state(at: number).machines == states[Int(number)].machines, "at \(number)")
        }
    }
}
