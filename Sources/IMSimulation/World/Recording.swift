import IMSession
import Recorder
import SansIO

/// The session file of a world.
public final class Recording {
    /// Where it is written; nil for a recording in memory.
    public let path: String?
    let writer: SessionWriter<IMSessionSchema>
    /// The recorder's node of each node of the world.
    private var indices: [NodeIndex?] = []

    /// - Parameter recordsComments: false leaves out the line of each event.
    public init(
        sink: any ByteSink, path: String?, header: SessionHeader, epochNanoseconds: Int64, recordsComments: Bool = true
    ) {
        self.path = path
        writer = SessionWriter(
            sink: sink, schema: IMSessionSchema(), header: header, epochNanoseconds: epochNanoseconds)
        writer.recordsComments = recordsComments
    }

    /// How many events it has, which is the number of the last.
    public var eventCount: UInt64 { writer.eventCount }

    func index(of node: NodeID, named name: String) -> NodeIndex {
        if node.rawValue < indices.count, let index = indices[node.rawValue] { return index }
        while indices.count <= node.rawValue { indices.append(nil) }
        let index = writer.addNode(name)
        indices[node.rawValue] = index
        return index
    }
}
