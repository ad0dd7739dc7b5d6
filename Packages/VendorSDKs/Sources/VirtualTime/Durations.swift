extension Duration {
    /// In nanoseconds, rounded up; 0 if it is negative, the largest number if it overflows.
    public var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = whole.addingReportingOverflow(UInt64((attoseconds + 999_999_999) / 1_000_000_000))
        return overflow || overflowOfSum ? .max : sum
    }
}

extension UInt64 {
    /// The sum, or the largest number if it overflows.
    func saturatingAdd(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
