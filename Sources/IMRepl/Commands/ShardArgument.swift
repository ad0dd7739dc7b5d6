import ArgumentParser

/// `2/4`: the second of four parts.
package struct ShardArgument: ExpressibleByArgument, Equatable, Sendable {
    package var index: UInt64
    package var count: UInt64

    package init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { UInt64($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], count > 0, (1...count).contains(index)
        else {
            return nil
        }
        (self.index, self.count) = (index, count)
    }
}
