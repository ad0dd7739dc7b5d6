/// The numbers of the tasks of ended worlds: jobs that they still enqueue never run.
///
/// The end of a task cannot be observed, so all numbers are kept. They grow, and most of a world's are consecutive, so
/// they are stored as ranges.
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
