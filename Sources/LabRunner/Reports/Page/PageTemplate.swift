internal import CReportPage
internal import Foundation

/// The page of a run, without its data: one file that loads nothing.
enum PageTemplate {
    /// A page with data blocks.
    ///
    /// - Parameters:
    ///   - blocks: JSON documents by the identifiers under which the script looks for them.
    ///   - isLive: Whether the page may ask the server it comes from; otherwise it loads nothing from anywhere.
    static func page(_ blocks: [(id: String, json: Data)], isLive: Bool = false) -> Data {
        var page = Data()
        for part in isLive ? liveParts : parts {
            switch part {
            case .text(let text): page.append(text)
            case .blocks: for block in blocks { append(block.json, id: block.id, to: &page) }
            }
        }
        return page
    }

    private enum Part {
        case text(Data)
        case blocks
    }

    private static let parts = filled(sources: "")
    private static let liveParts = filled(sources: " connect-src 'self';")

    /// What stands around the blocks; the style sheet and the script are in it.
    ///
    /// - Parameter sources: what the page may load, for its policy.
    private static func filled(sources: String) -> [Part] {
        let html = String(decoding: Data(report_page_html()), as: UTF8.self)
        let around = html.components(separatedBy: "{{data}}")
        let filled = around.map { part in
            part.replacing("{{style}}", with: String(decoding: Data(report_page_css()), as: UTF8.self))
                .replacing("{{sources}}", with: sources)
                .replacing("{{script}}", with: String(decoding: Data(report_page_script()), as: UTF8.self))
        }
        return Array(filled.map { Part.text(Data($0.utf8)) }.flatMap { [$0, .blocks] }.dropLast())
    }

    /// Adds a document. `<` stands in texts only, where it can be written as an escape; so no text can end the block.
    private static func append(_ json: Data, id: String, to page: inout Data) {
        page.append(Data("<script type=\"application/json\" id=\"\(id)\">".utf8))
        var rest = json[...]
        while let sign = rest.firstIndex(of: UInt8(ascii: "<")) {
            page.append(rest[..<sign])
            page.append(Data("\\u003c".utf8))
            rest = rest[rest.index(after: sign)...]
        }
        page.append(rest)
        page.append(Data("</script>\n".utf8))
    }
}

extension Data {
    fileprivate init(_ text: report_page_text) { self.init(bytes: text.bytes, count: text.count) }
}
