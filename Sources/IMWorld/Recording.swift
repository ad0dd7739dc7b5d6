import Recorder
import SansIO

/// The session file of a world.
public final class Recording {
    /// Where it is written; nil for a recording in memory.
    public let path: String?
    let writer: SessionWriter<IMSessionSchema>
    /// The recorder's node of each node of the world.
    private var indices: [String: NodeIndex] = [:]

    public init(
        sink: any ByteSink, path: String?, header: SessionHeader, epochNanoseconds: Int64
    ) {
        self.path = path
        writer = SessionWriter(
            sink: sink, schema: IMSessionSchema(), header: header, epochNanoseconds: epochNanoseconds)
    }

    public var eventCount: UInt64 { writer.eventCount }

    func index(of node: String) -> NodeIndex {
        if let index = indices[node] { return index }
        let index = writer.addNode(node)
        indices[node] = index
        return index
    }
}
