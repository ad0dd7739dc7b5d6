import IMSession
import Recorder
import SansIO

/// The session file of a world.
public final class Recording {
    /// The file's path; nil for a recording in memory.
    public let path: String?
    let writer: SessionWriter<IMSessionSchema>
    /// The recorder's node index of each node of the world.
    private var indices: [NodeIndex?] = []

    /// - Parameter recordsComments: false omits the summary line of each event.
    public init(
        sink: any ByteSink, path: String?, header: SessionHeader, epochNanoseconds: Int64, recordsComments: Bool = true
    ) {
        self.path = path
        writer = SessionWriter(
            sink: sink, schema: IMSessionSchema(), header: header, epochNanoseconds: epochNanoseconds)
        writer.recordsComments = recordsComments
    }

    /// The number of events, which is the number of the last one.
    public var eventCount: UInt64 { writer.eventCount }

    /// The recorder's index of a node. Adds the node to the recording under its name if the recording does not have it.
    func index(of node: NodeID, named name: String) -> NodeIndex {
        if node.rawValue < indices.count, let index = indices[node.rawValue] { return index }
        while indices.count <= node.rawValue { indices.append(nil) }
        let index = writer.addNode(name)
        indices[node.rawValue] = index
        return index
    }
}

extension Recording {
    /// The number of events after which the states of the machines are written.
    package var keyframeInterval: UInt64 {
        get { writer.keyframeInterval }
        set { writer.keyframeInterval = newValue }
    }
}

/// Makes a copy of a recording in which one event is changed and everything else is valid. Verification must detect the
/// change.
package enum RecordingForgery {
    /// - Parameters:
    ///   - eventIndex: the index of the changed event in ``DecodedSession/events``.
    ///   - change: receives that event and returns the events that replace it.
    package static func bytes(
        of decoded: DecodedSession, changing eventIndex: Int, _ change: (SessionEvent) -> [SessionEvent]
    ) throws -> [UInt8] {
        let sink = MemorySink()
        let recording = Recording(
            sink: sink, path: nil, header: decoded.header, epochNanoseconds: decoded.header.epochNanoseconds)
        var nodes: [String] = []
        for (number, event) in decoded.events.enumerated() {
            let replacements = number == eventIndex ? change(event) : [event]
            for event in replacements {
                if !nodes.contains(event.node) { nodes.append(event.node) }
                let index: NodeIndex =
                    event.node == "session"
                    ? .session
                    : recording.index(of: NodeID(rawValue: nodes.firstIndex(of: event.node) ?? 0), named: event.node)
                _ = try WorldCore.write(event, into: recording, index, cause: 0, "")
            }
        }
        try recording.writer.flush()
        return sink.bytes
    }
}
