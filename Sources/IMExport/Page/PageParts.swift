import IMDebugger

/// The parts of the page of `export --as html`, from the files in `Web`. The page is self-contained and makes no requests.
enum PageParts {
    /// The page, with a marker such as `{{data}}` for each part that ``PageExport`` inserts.
    static var template: String { text(PackageResources.page_html) }

    static var style: String { text(PackageResources.page_css) }

    /// The whole script of the page. Its files share one scope, in this order.
    static var script: String {
        [
            text(PackageResources.model_js), words, text(PackageResources.search_js), text(PackageResources.draw_js),
            text(PackageResources.map_js), text(PackageResources.panel_js), text(PackageResources.main_js),
        ].joined(separator: "\n")
    }

    /// The predefined words of the filter language and their conditions, as a JavaScript constant.
    private static var words: String {
        let pairs = FilterWord.all.map { "\(JSONText.quoted($0.name)):\(JSONText.quoted($0.filter))" }
        return "const WORDS = {\(pairs.joined(separator: ","))};\n"
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
