// SPDX-License-Identifier: Apache-2.0

import CZlib
import Foundation

/// The text of a report's page with its documents in the clear, as its script reads them.
public enum ReportPageText {
    /// - Throws: `CocoaError` if the page is missing.
    public static func read(_ path: String) throws -> String {
        let page = try String(contentsOfFile: path, encoding: .utf8)
        return page.replacing(#/<script type="application\/zlib" id="([^"]+)">([^<]*)</#) { match in
            let data = Data(base64Encoded: String(match.2)).flatMap(inflated) ?? Data()
            return "<script id=\"\(match.1)\">\(String(decoding: data, as: UTF8.self))<"
        }
    }

    private static func inflated(_ data: Data) -> Data? {
        var capacity = max(data.count, 1) * 4
        while true {
            var length = UInt(capacity)
            var result = Data(count: capacity)
            let code = result.withUnsafeMutableBytes { target in
                data.withUnsafeBytes { source in
                    uncompress(
                        target.bindMemory(to: UInt8.self).baseAddress, &length,
                        source.bindMemory(to: UInt8.self).baseAddress, UInt(data.count))
                }
            }
            switch code {
            case Z_OK: return result.prefix(Int(length))
            case Z_BUF_ERROR where capacity < 1 << 30: capacity *= 2
            default: return nil
            }
        }
    }
}
