public import Foundation

/// A chapter of a specification whose bullets an index of tests is compared with.
public enum SpecificationChapter {
    /// The bold headings of a chapter, in order, each with the number of bullets below it.
    /// - Parameters:
    ///   - number: of the chapter, as in `## 23. …`.
    ///   - page: the specification.
    public static func bullets(of number: Int, in page: URL) throws -> [(heading: String, count: Int)] {
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        var counts: [(heading: String, count: Int)] = []
        for line in lines.drop(while: { !$0.hasPrefix("## \(number).") }).dropFirst() {
            if line.hasPrefix("## ") { break }
            if let heading = line.wholeMatch(of: #/\*\*(.+)\*\*/#) {
                counts.append((String(heading.1), 0))
            } else if line.hasPrefix("* "), !counts.isEmpty {
                counts[counts.count - 1].count += 1
            }
        }
        return counts
    }
}
