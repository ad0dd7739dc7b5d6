/// The odds as an HTML page: a line chart over the events of a recording, and a table with a row for each event.
public struct OddsPage {
    private let odds: Odds
    private let title: String

    /// - Parameter title: the heading; any text.
    public init(_ odds: Odds, title: String) {
        self.odds = odds
        self.title = title
    }

    /// The page as HTML. It loads no other files.
    public func html() -> String {
        HTMLText.page(title, style: Self.style, "<p>\(verdict)</p>\n\(chart)\n<table>\(rows)</table>")
    }

    private static let style = """
        \(HTMLText.reportStyle)
        svg{width:100%;height:auto}polyline{fill:none;stroke:#c33;stroke-width:2}
        line{stroke:#8888;stroke-width:1}td{padding:0 .8em 0 0;white-space:nowrap}td.n{text-align:right}
        tr.always{font-weight:bold}
        """

    private var verdict: String {
        odds.summary.map(HTMLText.escaped).joined(separator: "<br>")
    }

    private var chart: String {
        let (width, height) = (800, 160)
        let step = Double(width - 20) / Double(max(1, odds.points.count - 1))
        let points = odds.points.enumerated().map { point, odd in
            let share = Double(odd.count) / Double(max(1, odds.runs))
            return "\(Int(10 + Double(point) * step)),\(Int(Double(height - 10) - share * Double(height - 20)))"
        }
        return """
            <svg viewBox="0 0 \(width) \(height)" role="img" aria-label="share of runs by event">
            <line x1="10" y1="10" x2="\(width - 10)" y2="10"/>
            <line x1="10" y1="\(height - 10)" x2="\(width - 10)" y2="\(height - 10)"/>
            <polyline points="\(points.joined(separator: " "))"/></svg>
            """
    }

    private var rows: String {
        odds.points.map { point in
            let mark = point == odds.alwaysFrom ? " class=\"always\"" : ""
            let milliseconds = point.time.nanoseconds / 1_000_000
            return
                "<tr\(mark)><td class=\"n\">\(HTMLText.escaped(odds.text(point)))<td class=\"n\">#\(point.number)<td class=\"n\">\(milliseconds) ms"
                + "<td>\(HTMLText.escaped(point.words))</tr>"
        }.joined(separator: "\n")
    }
}
