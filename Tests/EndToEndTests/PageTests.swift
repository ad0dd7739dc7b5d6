import Foundation
import TestSupport
import Testing

/// The page of `export --as html`, opened in a real browser and used by its keys.
@Suite(.onOwnThreads) struct PageTests {
    /// What the page said while it was used.
    private struct Outcome: Decodable {
        /// Errors of its script, and whatever it asked the network for.
        var failures: [String]
        /// The events that a key leads to from the beginning on, in order.
        var stops: [String: [Int]]
        /// What a screen reader is told at the last of them.
        var said: [String: String]
        /// How many events a search finds, or what is wrong with it.
        var found: [String: String]
        /// The number of different colours, in the light and in the dark.
        var colours: [Int]
        /// Whether the two are different pictures.
        var isRepainted: Bool
        var panel: String
        /// What stands below the title.
        var about: String
        /// Where Enter, n and n lead to in a search for kicks, and what has the keys then.
        var jumps: [Int]
        var focus: String
    }

    private static let searches = [
        "kick", "kick or reconnect", "not transition and n < 40", "kind == transition", "kind == frame and node == pad",
        "to in {online, kicked}",
        "t > 50ms and kind == callback",
        "not kind in {frame, keyframe} and n < 40", "reason =~ \"REMOTE|login-s\"",
    ]

    @Test func `it says what show says, asks for nothing, and is a picture in the light and in the dark`() throws {
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
        // Why it was kicked, down to the rule and the value that decided.
        #expect(outcome.panel.contains("a command of the app: from outside the client"), "\(outcome.panel)")
        #expect(outcome.panel.contains("NIM-11, exclusion=mobile-desktop: "))
        // States are in the words of the shell.
        #expect(outcome.panel.contains("reason") && !outcome.panel.contains("rawValue"))
        #expect(outcome.about.contains("no wall clock"))
        // Enter goes to the next match, and so does n behind it.
        #expect(try outcome.jumps == Array(numbers("kind == transition").prefix(3)))
        #expect(outcome.focus == "scroller")
        // A canvas on which nothing was drawn has one.
        #expect(outcome.colours.count == 2 && outcome.colours.allSatisfy { $0 > 20 }, "\(outcome.colours)")
        #expect(outcome.isRepainted)
    }

    /// Exports a recording, opens the page with a reader's hands built in, and reads what came of it.
    private func use(_ sandbox: Sandbox, _ recording: String, searches: [String]) throws -> Outcome {
        let exported = try sandbox.imrepl("export", recording, "--as", "html", "-o", "page.html")
        try #require(exported.status == 0, "\(exported.errors)")
        let page = String(decoding: try sandbox.data("page.html"), as: UTF8.self)
        let asked = String(decoding: try JSONEncoder().encode(searches), as: UTF8.self)
        try #require(page.contains("<title>") && page.contains("</body>"))
        try sandbox.write(
            page.replacing("<title>", with: "<script>\(Self.watch)</script><title>", maxReplacements: 1)
                .replacing("</body>", with: "<script>const searches = \(asked);\(Self.hands)</script></body>"),
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

    /// Everything happens while the page loads, so that nothing has to be waited for.
    private static let hands = """
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
