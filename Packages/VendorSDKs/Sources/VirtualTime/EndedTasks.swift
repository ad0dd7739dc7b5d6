/// The numbers of the tasks that belonged to a world that has ended: what they still enqueue is never run.
///
/// A task's end cannot be seen, so all of them are kept. Their numbers grow, and most of a world's follow one another:
/// ranges hold them in little room.
struct EndedTasks {
    private var ranges: [ClosedRange<UInt64>] = []

    mutating func add(_ tasks: [UInt64]) {
        for task in tasks.sorted() {
            if let last = ranges.last, last.upperBound + 1 == task {
                ranges[ranges.count - 1] = last.lowerBound...task
            } else {
                ranges.append(task...task)
            }
        }
    }

    func contains(_ task: UInt64) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < task { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(task)
    }
}
