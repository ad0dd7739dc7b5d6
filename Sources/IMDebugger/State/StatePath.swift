import IMSession
import IMText
import Recorder

/// The path of a field: a node, and a path within its state.
package struct StatePath: Equatable, Sendable {
    package var text: String
    package var node: NodeIndex
    package var path: String

    /// - Throws: ``DebuggerError`` if the recording has no such node.
    package init(_ text: String, in session: DebugSession) throws {
        self.text = text
        // The longest name wins, because a node's name may contain dots.
        let name = session.nodeNames.filter { text == $0 || text.hasPrefix($0 + ".") }.max { $0.count < $1.count }
        guard let name, let node = session.reader.node(named: name) else {
            throw DebuggerError(
                "a field begins with a node, such as: "
                    + "\(session.nodeNames.map { "\($0).state" }.joined(separator: ", "))"
            )
        }
        self.node = node
        path = String(text.dropFirst(name.count + 1))
    }

    /// The last component of the path.
    package var lastName: String { path.split(separator: ".").last.map(String.init) ?? "" }

    /// The hint for a field that does not exist: a similar name, or the names of the existing fields.
    static func hint(for word: String, among names: [String]) -> String {
        if let similar = Suggestion.nearest(to: word, among: names) { return "did you mean '\(similar)'?" }
        return names.isEmpty ? "it has no fields" : "available: \(names.joined(separator: ", "))"
    }

    /// The value in a state; nil while the node does not run or has no such field.
    package func value(in state: Replay<IMSessionSchema>) -> StateTree? {
        guard let machine = state[node] else { return nil }
        // This path is used most, and it can be read without encoding the whole state as a tree.
        if path == "state", let client = machine.client { return .text(client.state.name) }
        return StateTree(machine)?[path: path[...]]
    }
}

extension DebugSession {
    /// The value of a field in the state of its node.
    ///
    /// - Throws: ``DebuggerError`` if there is no such field. The error suggests a similar name or lists the existing
    ///   names.
    package func value(of path: StatePath, in state: Replay<IMSessionSchema>) throws -> StateTree {
        if let value = path.value(in: state) { return value }
        let node = reader.name(of: path.node)
        guard let machine = state[path.node], let tree = StateTree(machine) else {
            throw DebuggerError("\(node) is not running at event \(position)")
        }
        let existingPart = tree.existingPart(of: path.path)
        let names = tree[path: existingPart]?.names ?? []
        let rest = path.path.dropFirst(existingPart.isEmpty ? 0 : existingPart.count + 1)
        let word = String(rest.prefix { $0 != "." })
        let parent = existingPart.isEmpty ? node : "\(node).\(existingPart)"
        throw DebuggerError("\(parent) has no '\(word)' here; \(StatePath.hint(for: word, among: names))")
    }
}
