extension RandomAccessCollection {
    /// The index of the first element that satisfies `holds`; the end if none does. The collection must be partitioned:
    /// all elements after the first match satisfy `holds` too. Calls `holds` a logarithmic number of times.
    @inlinable
    package func partitioningIndex(where holds: (Element) throws -> Bool) rethrows -> Index {
        var (low, count) = (startIndex, self.count)
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if try holds(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
