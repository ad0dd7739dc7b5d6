extension RandomAccessCollection {
    /// Where a collection in order falls into two parts: the place of the first element for which something holds that
    /// holds for all behind it too, or the end where it holds for none. It asks about a logarithm of the elements.
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
