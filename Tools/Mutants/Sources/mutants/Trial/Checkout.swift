// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The checkout itself: its build is there already, so that only files with mistakes are compiled. For a clone that is
/// thrown away, as in continuous integration: a run that is killed leaves the mistakes in it.
struct Checkout: MutantSources {
    let directory: URL

    /// - Throws: ``Failure`` when a change that is not committed could be lost.
    init(root: URL, workspace: URL) throws {
        directory = root
        let status = workspace.appending(path: "status")
        let outcome = try Program.run(["git", "status", "--porcelain", "--", "Sources"], in: root, output: status)
        guard outcome == .ended(status: 0), try Data(contentsOf: status).isEmpty else {
            throw Failure(
                "Sources has changes that are not committed, or git cannot tell (\(outcome)). A quick run writes its "
                    + "mistakes into the checkout and takes them out with git; commit first.")
        }
    }

    func refresh(with woven: [String: String]) throws {
        try restore()
        for (path, text) in woven { try Data(text.utf8).write(to: directory.appending(path: path)) }
    }

    func restore() throws {
        let outcome = try Program.run(["git", "checkout", "--quiet", "--", "Sources"], in: directory)
        guard outcome == .ended(status: 0) else {
            throw Failure("git cannot restore Sources (\(outcome)); there may be mistakes in it.")
        }
    }
}
