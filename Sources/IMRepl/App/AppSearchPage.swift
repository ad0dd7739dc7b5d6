import IMDebugger

/// The report of `app search` as one HTML page, which needs no other file and no script.
struct AppSearchPage {
    private let failures: [AppFailure]
    private let scenarios: Int
    private let title: String

    /// - Parameter scenarios: the number of played scenarios.
    init(_ failures: [AppFailure], scenarios: Int, title: String) {
        self.failures = failures
        self.scenarios = scenarios
        self.title = title
    }

    func html() -> String {
        let sums = "<p>\(scenarios) scenarios; kinds of mistakes: \(failures.count)</p>"
        return HTMLText.page(
            title,
            style: HTMLText.reportStyle
                + "\npre{overflow-x:auto;padding:.6em;border:1px solid #8888}dt{font-weight:bold}dd{margin:0 0 .6em}",
            ([sums] + failures.map(section)).joined(separator: "\n"))
    }

    private func section(_ failure: AppFailure) -> String {
        var parts = [
            "<h2>\(HTMLText.escaped(failure.text))</h2>",
            "<p>seed \(failure.seed), rule \(HTMLText.escaped(rule(of: failure)))</p>",
        ]
        parts.append("<pre>\(lines(failure.scenario))</pre>")
        if !failure.test.isEmpty {
            let marks = "imrepl replay \(HTMLText.shellWord(failure.session)) -c marks"
            let replay = failure.hint.isEmpty ? marks : failure.hint
            parts.append(
                """
                <dl><dt>test</dt><dd><code>\(HTMLText.escaped(failure.test))</code></dd>
                <dt>session</dt><dd><code>\(HTMLText.escaped(replay))</code></dd></dl>
                """)
        }
        return parts.joined(separator: "\n")
    }

    private func rule(of failure: AppFailure) -> String {
        failure.kind.split(separator: " ").first.map(String.init) ?? ""
    }

    /// Escapes each line separately, because `HTMLText.escaped` shows a line break as text.
    private func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { HTMLText.escaped(String($0)) }
            .joined(separator: "\n")
    }
}
