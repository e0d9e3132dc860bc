// SPDX-License-Identifier: Apache-2.0

import CReportPage
import CZlib
package import Foundation

/// The page of a run, without its data: one file that loads nothing.
package enum PageTemplate {
    /// A JSON document.
    package struct Block {
        /// The identifier that the script uses.
        package let id: String
        package let json: Data
        /// Whether the script waits for it, so that it may be compressed; it reads the others while the page is loading.
        var isReadLater = false

        package init(id: String, json: Data, isReadLater: Bool = false) {
            self.id = id
            self.json = json
            self.isReadLater = isReadLater
        }
    }

    /// The page of a running instance, which may send requests to its server.
    /// - Parameter nonce: The nonce of its script; the browser runs no other.
    package static func livePage(_ blocks: [Block], nonce: String) -> Data {
        var page = Data()
        write(filled(sources: " connect-src 'self';", nonce: nonce), blocks) { page.append($0) }
        return page
    }

    /// Streams a self-contained page, each block created only when needed.
    package static func write(_ blocks: some Sequence<Block>, to sink: (Data) throws -> Void) rethrows {
        try write(parts, blocks, to: sink)
    }

    private static func write(
        _ parts: [Part], _ blocks: some Sequence<Block>, to sink: (Data) throws -> Void
    ) rethrows {
        for part in parts {
            switch part {
            case .text(let text): try sink(text)
            case .blocks: for block in blocks { try write(block, to: sink) }
            }
        }
    }

    private enum Part {
        case text(Data)
        case blocks
    }

    private static let parts = filled(sources: "", nonce: nil)

    /// The HTML around the blocks, with the style sheet and the script.
    /// - Parameters:
    ///   - sources: the sources that the page may load from, for its policy.
    ///   - nonce: see ``livePage(_:nonce:)``; nil for a file, which only its owner's browser reads.
    private static func filled(sources: String, nonce: String?) -> [Part] {
        let html = String(decoding: Data(report_page_html()), as: UTF8.self)
        let around = html.components(separatedBy: "{{data}}")
        let filled = around.map { part in
            part.replacing("{{style}}", with: String(decoding: Data(report_page_css()), as: UTF8.self))
                .replacing("{{sources}}", with: sources)
                .replacing("{{scripts}}", with: nonce.map { "'nonce-\($0)'" } ?? "'unsafe-inline'")
                .replacing("{{nonce}}", with: nonce.map { " nonce=\"\($0)\"" } ?? "")
                .replacing("{{script}}", with: String(decoding: Data(report_page_script()), as: UTF8.self))
        }
        return Array(filled.map { Part.text(Data($0.utf8)) }.flatMap { [$0, .blocks] }.dropLast())
    }

    /// Longer documents, in bytes, may be compressed: they are unreadable in the source of a page anyway.
    private static let longestPlain = 8_192

    /// A document; a long one is compressed and in Base64.
    private static func write(_ block: Block, to sink: (Data) throws -> Void) rethrows {
        guard block.isReadLater, block.json.count > longestPlain, let compressed = block.json.deflated() else {
            return try sink(plain(block.json, id: block.id))
        }
        try sink(Data("<script type=\"application/zlib\" id=\"\(block.id)\">".utf8))
        try sink(compressed.base64EncodedData())
        try sink(Data("</script>\n".utf8))
    }

    /// A document in plain form. `<` occurs only in texts, where it can be escaped, so no text can end the block.
    private static func plain(_ json: Data, id: String) -> Data {
        var block = Data("<script type=\"application/json\" id=\"\(id)\">".utf8)
        var rest = json[...]
        while let sign = rest.firstIndex(of: UInt8(ascii: "<")) {
            block.append(rest[..<sign])
            block.append(Data("\\u003c".utf8))
            rest = rest[rest.index(after: sign)...]
        }
        block.append(rest)
        block.append(Data("</script>\n".utf8))
        return block
    }
}

extension Data {
    /// The bytes in the format of zlib (RFC 1950), which browsers call `deflate`; nil if out of memory.
    fileprivate func deflated() -> Data? {
        var length = compressBound(UInt(count))
        var result = Data(count: Int(length))
        let code = result.withUnsafeMutableBytes { target in
            withUnsafeBytes { source in
                compress2(
                    target.bindMemory(to: UInt8.self).baseAddress, &length,
                    source.bindMemory(to: UInt8.self).baseAddress, UInt(count), Z_DEFAULT_COMPRESSION)
            }
        }
        guard code == Z_OK else { return nil }
        return result.prefix(Int(length))
    }

    fileprivate init(_ text: report_page_text) { self.init(bytes: text.bytes, count: text.count) }
}
