import IMTree

// Short forms for nodes in tests.

extension TreeNode {
    public static let null = TreeNode.empty
    public static func bool(_ flag: Bool) -> TreeNode { TreeNode(.bool(flag)) }
    public static func number(_ number: Double) -> TreeNode { TreeNode(.number(number)) }
    public static func text(_ text: String) -> TreeNode { TreeNode(.text(text)) }

    /// A node with children in any order. If a name occurs twice, the last child is used.
    public static func children(_ children: [(String, TreeNode)]) -> TreeNode {
        children.reduce(.empty) { $0.setting(TreeKey($1.0), to: $1.1) }
    }

    public static func children(_ children: KeyValuePairs<String, TreeNode>) -> TreeNode {
        .children(children.map { ($0.key, $0.value) })
    }

    /// The node as JSON.
    public var text: String { description }
}

extension [TreeWrite.Part] {
    /// The parts of an update, by their paths.
    public static func parts(_ parts: KeyValuePairs<String, TreeNode>) -> [TreeWrite.Part] {
        parts.map {
            TreeWrite.Part(
                $0.key.split(separator: "/", omittingEmptySubsequences: false).map { TreeKey(String($0)) }, $0.value)
        }
    }
}
