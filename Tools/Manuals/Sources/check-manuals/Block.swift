// SPDX-License-Identifier: Apache-2.0

/// One code block of a manual.
struct Block: Sendable {
    /// Position among all code blocks of the manual, from 1.
    let number: Int
    /// The heading it stands under.
    let heading: String
    /// Language of the block, as the manual names it; blocks with `swift` are checked.
    let language: String
    /// Line of the manual that holds the first line of the text, from 1.
    let firstLine: Int
    /// The text, line by line.
    let lines: [String]

    var isSwift: Bool { language == "swift" && !isPackageManifest }

    /// Whether it is the manifest of a package, which no module of the lab compiles.
    var isPackageManifest: Bool { lines.first?.hasPrefix("// swift-tools-version") == true }

    /// The manual's lines that the text fills.
    var range: ClosedRange<Int> { firstLine...(firstLine + max(lines.count, 1) - 1) }
}
