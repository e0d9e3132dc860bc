import Testing

/// A page whose console blocks are run in order, like a reader does.
struct PlayedPage: CustomTestStringConvertible {
    /// The files in the reader's initial folder.
    enum Folder: Int, Comparable {
        case empty
        /// The project's `lab.yaml`.
        case topology
        /// The project's scenarios, too.
        case catalogue

        static func < (left: Folder, right: Folder) -> Bool { left.rawValue < right.rawValue }
    }

    let path: String
    let needs: Folder
    /// The minimum number of commands on the page.
    let steps: Int
    /// Earlier commands of the reader.
    var before: [String] = []

    var testDescription: String { path }

    static let all = [
        PlayedPage(path: "docs/lab-server.md", needs: .empty, steps: 20),
        PlayedPage(path: "docs/mobile-token.md", needs: .topology, steps: 12),
        PlayedPage(path: "docs/getting-started.md", needs: .empty, steps: 12),
        PlayedPage(path: "docs/install.md", needs: .empty, steps: 3),
        PlayedPage(path: "docs/ci.md", needs: .catalogue, steps: 1),
        PlayedPage(path: "docs/sharing.md", needs: .topology, steps: 8),
        PlayedPage(path: "docs/watch-link.md", needs: .topology, steps: 6),
        PlayedPage(path: "docs/running.md", needs: .catalogue, steps: 8),
        PlayedPage(
            path: "docs/reports.md", needs: .catalogue, steps: 1,
            before: ["lab run Scenarios/faults/clock-runs-fast.yaml"]),
        PlayedPage(path: "docs/stress.md", needs: .topology, steps: 1),
    ]
}
