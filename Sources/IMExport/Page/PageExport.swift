import Foundation
import IMDebugger
import IMText

/// `--as html`: one self-contained page.
///
/// All data of the session is JSON in a script element that is never run, and is inserted into the page as text only.
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
        // One pass over the template, so that nothing in a part counts as a marker.
        let parts = [
            "title": HTMLText.escaped(VisibleText.of(title)), "style": PageParts.style, "script": PageParts.script,
            "data": json,
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
