// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One manual: where it is, how its blocks are found, and what its samples import.
struct Manual: Sendable {
    /// How code is distinguished from prose.
    enum Layout: Sendable {
        /// Blocks between lines of three backticks, headings that begin with `#`.
        case fenced
        /// Plain text; the entries give the lines.
        case indexed([IndexEntry])
    }

    /// Name for tables: the SDK and the version it describes.
    let title: String
    /// Name of the file; its second part changes with the text, which would invalidate an index.
    let fileName: String
    let layout: Layout
    /// Modules that the samples need in addition to their own imports.
    let imports: [String]
    /// Files of `Surroundings` that declare what the samples assume.
    let surroundings: [String]

    static let all = [
        Manual(
            title: "PowerAuth SDK for iOS 1.7", fileName: "000_9c80b0efa3ee8cdc.txt", layout: .fenced,
            imports: ["LocalAuthentication", "PowerAuth2", "UIKit", "WatchConnectivity"],
            surroundings: ["Application.swift", "ResponseParts.swift", "LegacyInterface.swift"]),
        Manual(
            title: "PowerAuth SDK for iOS 1.9", fileName: "001_6ef7018f1fa560c4.txt",
            layout: .indexed(IndexEntry.ios19),
            imports: ["LocalAuthentication", "PowerAuth2", "UIKit", "WatchConnectivity"],
            surroundings: ["Application.swift", "ResponseBody.swift", "Interface.swift", "CoreInterface.swift"]),
        Manual(
            title: "PowerAuth SDK for iOS extensions", fileName: "002_67162f6ea26e25da.txt", layout: .fenced,
            imports: ["PowerAuth2ForExtensions", "UIKit"], surroundings: ["Extension.swift"]),
        Manual(
            title: "Mobile Token SDK for iOS 1.0", fileName: "003_3101a343b323b805.txt", layout: .fenced,
            imports: ["PowerAuth2", "UIKit", "WultraMobileTokenSDK"],
            surroundings: ["MobileToken.swift", "MobileTokenInterface.swift"]),
        Manual(
            title: "Networking SDK 1.3", fileName: "004_8125219804a7a3f4.txt", layout: .fenced,
            imports: ["PowerAuth2", "WultraPowerAuthNetworking"],
            surroundings: ["Networking.swift", "NetworkingInterface.swift"]),
    ]

    /// Reads the blocks.
    ///
    /// - Parameter directory: where the manuals are.
    func blocks(in directory: URL) throws -> [Block] {
        let text = try String(contentsOf: directory.appending(path: fileName), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        switch layout {
        case .fenced: return fencedBlocks(of: lines)
        case .indexed(let entries): return try entries.enumerated().map { try $1.block(number: $0 + 1, of: lines) }
        }
    }

    private func fencedBlocks(of lines: [String]) -> [Block] {
        var blocks: [Block] = []
        var heading = ""
        var open: (language: String, firstLine: Int, lines: [String])?
        for (index, line) in lines.enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("```") {
                if let block = open {
                    blocks.append(
                        Block(
                            number: blocks.count + 1, heading: heading, language: block.language,
                            firstLine: block.firstLine, lines: block.lines))
                    open = nil
                } else {
                    open = (String(trimmed.dropFirst(3)), index + 2, [])
                }
            } else if open != nil {
                open?.lines.append(line)
            } else if line.hasPrefix("#") {
                heading = line.trimmingCharacters(in: CharacterSet(charactersIn: "# "))
            }
        }
        return blocks
    }
}
