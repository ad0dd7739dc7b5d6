/// The prefix that most lines of a log have, such as a time, a level and a tag.
struct LinePrefix {
    /// A pattern for a whole line; nil if a built-in format describes the prefix, or if there is no prefix.
    private(set) var pattern: String?
    private(set) var timestamps: [String] = []
    private let matcher: LinePattern?
    private let shipped: [LinePattern]

    // swift-format-ignore
    private static let times: [(pattern: String, formats: [String])] = [
        (#"\d{4}-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d{1,2}:\d{1,2}(?:[.,:]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"#,
         ["%Y-%m-%d %H:%M:%S.%f%z", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S,%f", "%Y-%m-%d %H:%M:%S:%f", "%Y-%m-%d %H:%M:%S",
          "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S"]),
        (#"\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d{1,2}:\d{1,2}(?:[.,:]\d{1,9})?"#,
         ["%Y/%m/%d %H:%M:%S.%f", "%Y/%m/%d %H:%M:%S,%f", "%Y/%m/%d %H:%M:%S:%L", "%Y/%m/%d %H:%M:%S"]),
        (#"\d{1,2}-\d{1,2} \d{1,2}:\d{1,2}:\d{1,2}(?:[.,]\d{1,9})?"#, ["%m-%d %H:%M:%S.%f", "%m-%d %H:%M:%S,%f", "%m-%d %H:%M:%S"]),
        (#"\d{1,2}:\d{1,2}:\d{1,2}[.,]\d{1,9}"#, ["%H:%M:%S.%f", "%H:%M:%S,%f"]),
        (#"\d{1,2}:\d{1,2}:\d{1,2}"#, ["%H:%M:%S"]),
        (#"\d{13}"#, ["%i"]), (#"\d{10}"#, ["%s"]),
    ]

    init(of lines: [String]) {
        let sample = Array(lines.prefix(2000))
        shipped =
            ((try? ShippedFormats.all.flatMap { try LogFormat.read($0.text, from: $0.name, isShipped: true) }) ?? [])
            .flatMap { $0.prefixes.map(\.pattern) }
        var best: (count: Int, pattern: String, formats: [String]) = (0, "", [])
        for (time, formats) in Self.times {
            // The time can have brackets around it, and a level and a tag after it.
            let pattern =
                "^(?<before>[^0-9]{0,12})(?<timestamp>\(time))(?<after>[\\])|: -]{1,3})"
                + "(?:\\[?(?<level>[A-Z]{1,8})\\]?[ :|/-]{1,3})?(?:\\[(?<tag>[^\\]]{1,40})\\][: -]{0,3})?(?<body>.*)$"
            guard let matcher = try? LinePattern(pattern, isTrusted: true) else { continue }
            let count = sample.count { matcher.groups(of: $0) != nil }
            if count > best.count { best = (count, pattern, formats) }
        }
        let shipped = shipped
        let known = sample.count { line in shipped.contains { $0.groups(of: line) != nil } }
        if known * 2 >= sample.count || best.count * 2 < sample.count {
            matcher = nil
        } else {
            pattern = best.pattern
            timestamps = best.formats
            matcher = try? LinePattern(best.pattern, isTrusted: true)
        }
    }

    /// The text of a line after its prefix; nil if the line does not match ``pattern``. If no prefix is known, the
    /// whole line.
    func body(of line: String) -> String? {
        if let matcher { return matcher.groups(of: line)?["body"] }
        for pattern in shipped { if let groups = pattern.groups(of: line) { return groups["body"] } }
        return line
    }
}

extension LinePattern {
    func groups(of text: String) -> LineGroups? {
        var text = text
        return text.withUTF8 { match($0) }
    }
}
