import IMDebugger
import IMText

/// The template of the page of `export --as html`. It is self-contained and makes no requests.
enum PageParts {
    /// The whole script of the page. Its parts share one scope, in this order.
    static var script: String { [model, words, search, draw, map, panel, main].joined() }

    /// The predefined words of the filter language and their conditions, as a JavaScript constant.
    private static var words: String {
        let pairs = FilterWord.all.map { "\(JSONText.quoted($0.name)):\(JSONText.quoted($0.filter))" }
        return "\nconst WORDS = {\(pairs.joined(separator: ","))};\n"
    }

    /// The page, with a marker such as `{{title}}` for each part that ``PageExport`` inserts.
    static let template = ##"""
        \##(HTMLText.head("{{title}}", policy: "; script-src 'unsafe-inline'"))
        <style>{{style}}</style>
        </head>
        <body>
        <header>
        <div class="title"><h1 id="title"></h1><p id="about"></p></div>
        <form id="search" role="search">
        <label class="hidden" for="query">Search</label>
        <input id="query" type="search" autocomplete="off" spellcheck="false"
         placeholder="words or kind == transition" aria-describedby="found">
        <span id="found" role="status"></span>
        <button type="button" id="previous" title="previous match (N)" aria-label="previous match">↑</button>
        <button type="button" id="next" title="next match (n)" aria-label="next match">↓</button>
        </form>
        <div class="tools" role="toolbar" aria-label="view">
        <label><input type="checkbox" id="beats"> heartbeats</label>
        <label><input type="checkbox" id="details"> bookkeeping</label>
        <button type="button" id="out" title="zoom out (-)" aria-label="zoom out">−</button>
        <button type="button" id="fit" title="zoom to fit (0)">fit</button>
        <button type="button" id="in" title="zoom in (+)" aria-label="zoom in">+</button>
        <button type="button" id="theme" title="light or dark (l)" aria-label="light or dark">◐</button>
        <button type="button" id="keys" title="keys (?)" aria-label="keys">?</button>
        </div>
        </header>
        <div class="overview">
        <canvas id="map" role="img" aria-label="overview of the whole session"></canvas>
        <div id="tip" aria-hidden="true"></div>
        </div>
        <main>
        <section id="lanes" aria-label="events">
        <div id="heads"></div>
        <div id="scroller" tabindex="0" role="application" aria-roledescription="sequence of events"
         aria-label="events; j and k step through them, question mark shows all keys" aria-describedby="said">
        <div id="spacer"></div>
        <canvas id="view" aria-hidden="true"></canvas>
        </div>
        </section>
        <aside id="panel" aria-label="details" tabindex="-1"></aside>
        </main>
        <p id="said" class="hidden" role="status" aria-live="polite"></p>
        <dialog id="help" aria-label="keys"></dialog>
        <noscript>This page needs JavaScript to draw the session, but scripts are disabled in this browser.</noscript>
        <script type="application/json" id="data">{{data}}</script>
        <script>{{script}}</script>
        </body>
        </html>
        """##
}
