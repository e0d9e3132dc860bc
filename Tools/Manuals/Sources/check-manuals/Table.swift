// SPDX-License-Identifier: Apache-2.0

/// The result of a check as the kept page: headings and statuses only.
struct Table {
    /// One row: a block and its result.
    struct Row {
        let block: Block
        let corrections: [String]
        let errors: [String]

        var status: String {
            if block.isPackageManifest { return "a package manifest" }
            if !block.isSwift { return block.language.isEmpty ? "not Swift" : "not Swift (\(block.language))" }
            if !errors.isEmpty { return "**fails**" }
            return corrections.isEmpty
                ? "type-checks" : "type-checks once corrected: " + corrections.joined(separator: ", ")
        }
    }

    let sections: [(title: String, rows: [Row])]

    var failures: [(title: String, row: Row)] {
        sections.flatMap { section in section.rows.filter { !$0.errors.isEmpty }.map { (section.title, $0) } }
    }

    /// The page `docs/manual-samples.md`.
    var page: String {
        var page = """
            # The manuals' samples

            Every code block of the manuals of the iOS SDK, of its part for extensions, of Mobile Token and of the
            networking SDK, with its result when `make check-manuals` extracts it from `../shared/seeds` and type-checks it
            against the built modules, as an application in the Swift 5 mode. Statements are put into a function that
            declares the names their chapter assumes (`Tools/Manuals/Surroundings`). If a manual has a mistake that no
            compiler accepts, the table names it. The check fails if this page differs from its result;
            `RECORD=1 make check-manuals` rewrites it.

            What Linux lacks at run time: outside of a lab's app, where a process has no identity, there is no
            `Bundle.main.bundleIdentifier`; and `UserDefaults` is the device's where a file imports UIKit.

            """
        for (title, rows) in sections {
            let swift = rows.filter(\.block.isSwift).count
            page += "\n## \(title)\n\n\(rows.count) blocks, \(swift) of them Swift.\n\n| block | heading | status |\n"
            page += "| --- | --- | --- |\n"
            for row in rows { page += "| \(row.block.number) | \(row.block.heading) | \(row.status) |\n" }
        }
        return page
    }
}
