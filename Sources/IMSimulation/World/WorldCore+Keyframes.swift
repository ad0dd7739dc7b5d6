// The states of the machines, now and then, between the events of a recording.

import IMServer
import Recorder

extension WorldCore {
    /// Accounts and connections of a server for others that are written down as a keyframe while they wait.
    static let keyframeSizeMax = 200

    func writeKeyframesIfDue() {
        guard let recording, recording.writer.needsKeyframe else { return }
        // A keyframe is the whole state, and who is served waits while it is written: that of a large server is left
        // out, and a replay starts further back.
        guard configuration.whenUnrecorded == .ends || serverSize <= Self.keyframeSizeMax else {
            return recording.writer.log.keyframeLeftOut()
        }
        for (place, node) in nodes.enumerated() {
            guard let machine = node.machine else { continue }
            let index = recording.index(of: NodeID(rawValue: place), named: node.name)
            do {
                _ = try recording.writer.keyframe(index, subject: machine, at: now)
            } catch {
                return recordingFailed("\(error)")
            }
        }
    }

    private var serverSize: Int { serverID.flatMap { nodes[$0.rawValue].machine?.server?.size } ?? 0 }
}
