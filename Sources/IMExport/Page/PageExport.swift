import Foundation
import IMDebugger
import IMText

/// `--as html`: one self-contained page.
///
/// The session's data is JSON in a script element that the browser does not run. The page's script inserts the data as
/// text, never as markup.
package struct PageExport {
    let session: ExportedSession

    package init(_ session: ExportedSession) {
        self.session = session
    }

    package func page() throws -> String {
        let data = PageData(
            picture: try SessionPicture(session), states: PageStates(session), causes: PageCauses(session),
            fileName: URL(fileURLWithPath: session.path).lastPathComponent)
        let title = session.reader.header.title.isEmpty ? data.fileName : session.reader.header.title
        return Self.assemble(title: title, json: data.json)
    }

    static func assemble(title: String, json: String) -> String {
        // Only the template is searched for markers, so that a marker inside an inserted part is not replaced.
        let parts = [
            "head": HTMLText.head(HTMLText.escaped(VisibleText.of(title)), policy: "; script-src 'unsafe-inline'"),
            "style": PageParts.style, "script": PageParts.script, "data": json,
        ]
        var page = ""
        for (count, piece) in PageParts.template.components(separatedBy: "{{").enumerated() {
            guard count > 0, let end = piece.range(of: "}}") else {
                page += piece
                continue
            }
            page += (parts[String(piece[..<end.lowerBound])] ?? "") + piece[end.upperBound...]
        }
        return page
    }
}
