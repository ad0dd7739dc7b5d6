import Dispatch
import VirtualTime

extension VirtualScheduler {
    /// The delay until a time of the monotonic clock, in nanoseconds.
    func delay(to deadline: DispatchTime) -> UInt64 {
        let target = deadline.uptimeNanoseconds
        let present = Self.monotonicStart + now
        if deadline == .distantFuture { return .max }
        return target > present ? target - present : 0
    }

    /// The delay until a time of the wall clock, in nanoseconds.
    func delay(to deadline: DispatchWallTime) -> UInt64 {
        if deadline == .distantFuture { return .max }
        // libdispatch stores a wall time as a negative number of nanoseconds since 1970.
        let target = UInt64(bitPattern: -Int64(bitPattern: deadline.rawValue))
        let present = wallStart + now
        return target > present ? target - present : 0
    }
}

extension DispatchTimeInterval {
    /// In nanoseconds; nil for `never`.
    var wholeNanoseconds: UInt64? {
        switch self {
        case .seconds(let count): UInt64(max(0, count)).multipliedClamping(by: 1_000_000_000)
        case .milliseconds(let count): UInt64(max(0, count)).multipliedClamping(by: 1_000_000)
        case .microseconds(let count): UInt64(max(0, count)).multipliedClamping(by: 1_000)
        case .nanoseconds(let count): UInt64(max(0, count))
        case .never: nil
        @unknown default: nil
        }
    }
}

extension UInt64 {
    fileprivate func multipliedClamping(by factor: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}

extension Double {
    /// A number of seconds, in nanoseconds.
    var secondsAsNanoseconds: UInt64 {
        guard self > 0 else { return 0 }
        return self < 1e10 ? UInt64((self * 1e9).rounded()) : .max
    }
}
