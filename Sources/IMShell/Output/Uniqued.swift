extension Sequence where Element: Equatable {
    /// The elements without repetitions, in the order of their first occurrence. Each element is compared with all
    /// different elements before it, so use it only for few different elements.
    var uniqued: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
