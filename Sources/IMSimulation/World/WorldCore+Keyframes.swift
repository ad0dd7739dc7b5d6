// The states of the machines, written at intervals between the events of a recording.

import IMServer
import Recorder

extension WorldCore {
    /// The maximum size of a server with other users that writes keyframes: its accounts and connections together.
    static let keyframeSizeMax = 200

    func writeKeyframesIfDue() {
        guard let recording, recording.writer.needsKeyframe else { return }
        // A keyframe contains the whole state, and clients wait while it is written. A large server omits it; replay
        // then starts at an earlier keyframe.
        guard configuration.recordingFailurePolicy == .ends || serverSize <= Self.keyframeSizeMax else {
            return recording.writer.log.skipKeyframe()
        }
        for (nodeIndex, node) in nodes.enumerated() {
            guard let machine = node.machine else { continue }
            let index = recording.index(of: NodeID(rawValue: nodeIndex), named: node.name)
            do {
                _ = try recording.writer.keyframe(index, subject: machine, at: now)
            } catch {
                return recordingFailed("\(error)")
            }
        }
    }

    private var serverSize: Int { serverID.flatMap { nodes[$0.rawValue].machine?.server?.size } ?? 0 }
}
