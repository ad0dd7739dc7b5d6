import Foundation
import TestSupport
import Testing

/// Tests of the page that `export --as html` writes: a real browser opens it, and simulated keys use it.
@Suite(.onOwnThreads) struct PageTests {
    /// The results that the page's script collects while the keys are pressed.
    private struct Outcome: Decodable {
        /// The errors of the page's script, and the network requests that it made.
        var failures: [String]
        /// For each key, the events that it visits from the start, in order.
        var stops: [String: [Int]]
        /// For each key, the text for a screen reader at the last of these events.
        var said: [String: String]
        /// For each search, the number of events that it finds, or its error.
        var found: [String: String]
        /// The number of different colours in the picture, in light and in dark mode.
        var colours: [Int]
        /// True if the pictures in light and dark mode differ.
        var isRepainted: Bool
        var panel: String
        /// The text below the page's title.
        var about: String
        /// In a search for kicks, the events that Enter, n and n select. `focus` is the element with the keyboard focus
        /// after that.
        var jumps: [Int]
        var focus: String
    }

    private static let searches = [
        "kick", "kick or reconnect", "not transition and n < 40", "kind == transition", "kind == frame and node == pad",
        "to in {online, kicked}",
        "t > 50ms and kind == callback",
        "not kind in {frame, keyframe} and n < 40", "reason =~ \"REMOTE|login-s\"",
    ]

    @Test func `the page shows what show prints, makes no requests, and has a light and a dark picture`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let outcome = try use(sandbox, "kick.pcapng", searches: Self.searches + ["kind == "])
        #expect(outcome.failures == [])

        let events = try sandbox.imrepl("show", "--json", "kick.pcapng").lines.map(JSONLine.init)
        func numbers(_ filter: String) throws -> [Int] {
            try sandbox.imrepl("show", "--json", "kick.pcapng", "--filter", filter).lines.map {
                try JSONLine($0).number
            }
        }
        #expect(try outcome.stops["t"] == numbers("kind == transition"))
        let kicks = try numbers("to == kicked or (kind == frame and type == kicked)")
        #expect(outcome.stops["x"] == kicks)
        #expect(kicks.count == 3)
        #expect(outcome.said["x"]?.hasPrefix("event \(kicks.last ?? 0) of \(events.count), ") == true)
        for search in Self.searches {
            let count = try numbers(search).count
            #expect(count > 0 && outcome.found[search] == String(count), "\(search)")
        }
        #expect(outcome.found["kind == "] == "a value is missing")
        #expect(outcome.panel.contains("online → kicked"))
        // The panel has the causes of the kick, with the rule and the policy value that decided.
        #expect(outcome.panel.contains("a command of the app: from outside the client"), "\(outcome.panel)")
        #expect(outcome.panel.contains("NIM-11, exclusion=mobile-desktop: "))
        // The page and the shell use the same names for states.
        #expect(outcome.panel.contains("reason") && !outcome.panel.contains("rawValue"))
        #expect(outcome.about.contains("no wall clock"))
        // Enter selects the next match, and each n the match after it.
        #expect(try outcome.jumps == Array(numbers("kind == transition").prefix(3)))
        #expect(outcome.focus == "scroller")
        // An empty canvas would have only one colour.
        #expect(outcome.colours.count == 2 && outcome.colours.allSatisfy { $0 > 20 }, "\(outcome.colours)")
        #expect(outcome.isRepainted)
    }

    /// Exports a recording, opens the page with simulated keys, and returns the results.
    private func use(_ sandbox: Sandbox, _ recording: String, searches: [String]) throws -> Outcome {
        let exported = try sandbox.imrepl("export", recording, "--as", "html", "-o", "page.html")
        try #require(exported.status == 0, "\(exported.errors)")
        let page = String(decoding: try sandbox.data("page.html"), as: UTF8.self)
        let encoded = String(decoding: try JSONEncoder().encode(searches), as: UTF8.self)
        try #require(page.contains("<title>") && page.contains("</body>"))
        try sandbox.write(
            page.replacing("<title>", with: "<script>\(Self.watch)</script><title>", maxReplacements: 1)
                .replacing("</body>", with: "<script>const searches = \(encoded);\(Self.keyScript)</script></body>"),
            "used.html")
        let browser = try sandbox.run(
            "/usr/bin/env",
            [
                "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(sandbox.file("browser"))",
                "--window-size=1200,800", "--dump-dom", "file://\(sandbox.file("used.html"))",
            ])
        try #require(browser.status == 0, "\(browser.errors)")
        let begin = try #require(browser.output.range(of: "OUTCOME:", options: .backwards), "\(browser.errors)")
        let rest = browser.output[begin.upperBound...]
        let end = try #require(rest.firstIndex(of: "<"))
        let json = try #require(Data(base64Encoded: String(rest[..<end])))
        return try JSONDecoder().decode(Outcome.self, from: json)
    }

    private static let watch = """
        const failures = [];
        addEventListener("error", event => failures.push(event.message));
        addEventListener("securitypolicyviolation", event => failures.push("it asks for " + event.blockedURI));
        """

    /// The script that presses the keys. It runs while the page loads, so the test does not have to wait.
    private static let keyScript = """
        addEventListener("load", () => {
          const outcome = { failures, stops: {}, said: {}, found: {}, colours: [] };
          const said = () => document.getElementById("said").textContent;
          const press = key => (document.activeElement ?? document.body)
            .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          for (const key of ["t", "x"]) {
            press("Escape");
            outcome.stops[key] = [];
            for (press(key); said() !== "there are no more"; press(key)) {
              outcome.stops[key].push(+said().split(" ")[1]);
              outcome.said[key] = said();
            }
          }
          outcome.panel = document.getElementById("panel").innerText;
          const query = document.getElementById("query");
          for (const text of searches) {
            press("Escape");
            query.value = text;
            query.dispatchEvent(new Event("input"));
            outcome.found[text] = document.getElementById("found").textContent;
          }
          press("Escape");
          query.value = "kind == transition";
          query.dispatchEvent(new Event("input"));
          query.focus();
          outcome.jumps = [];
          document.getElementById("search").dispatchEvent(new Event("submit", { cancelable: true }));
          outcome.jumps.push(+said().split(" ")[1]);
          outcome.focus = document.activeElement.id;
          for (const _ of [1, 2]) { press("n"); outcome.jumps.push(+said().split(" ")[1]); }
          outcome.about = document.getElementById("about").textContent;
          const pictures = [0, 1].map(() => {
            press("l");
            draw();
            const view = document.getElementById("view");
            const { data } = view.getContext("2d").getImageData(0, 0, view.width, view.height);
            return new Uint32Array(data.buffer);
          });
          outcome.colours = pictures.map(pixels => new Set(pixels).size);
          outcome.isRepainted = pictures[0].some((pixel, i) => pixel !== pictures[1][i]);
          const bytes = new TextEncoder().encode(JSON.stringify(outcome));
          document.body.append("OUTCOME:" + btoa(String.fromCharCode(...bytes)));
        });
        """
}
