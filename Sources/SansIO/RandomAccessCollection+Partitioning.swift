extension RandomAccessCollection {
    /// The index of the first element that satisfies the predicate; `endIndex` if no element does. The collection must
    /// be partitioned: all elements after the first match also satisfy the predicate. A binary search calls the
    /// predicate a logarithmic number of times.
    @inlinable
    package func partitioningIndex(where predicate: (Element) throws -> Bool) rethrows -> Index {
        var (low, count) = (startIndex, self.count)
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if try predicate(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
