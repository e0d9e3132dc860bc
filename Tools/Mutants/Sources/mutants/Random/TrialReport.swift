// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of one drawn mutant.
struct TrialResult {
    enum Verdict {
        /// A test failed; its name.
        case killed(String)
        case lives
        /// No test that passes without mutants reaches its place.
        case unreached
        /// It changes nothing, for this reason, and is not counted.
        case equivalent(String)
    }

    let mutant: DrawnMutant
    let verdict: Verdict

    /// Whether no test detected it.
    var isSurvivor: Bool {
        switch verdict {
        case .lives, .unreached: true
        case .killed, .equivalent: false
        }
    }
}

/// Prints verdicts, survivors as patches, and the rates.
struct TrialReport {
    /// The folder that gets a patch for each survivor.
    let patches: URL

    init(patches: URL) {
        self.patches = patches
    }

    /// Prints a verdict; a survivor also as a patch.
    ///
    /// - Parameter text: the file that the mutant is in.
    func show(_ result: TrialResult, text: String) throws {
        let mutant = result.mutant
        let label = "\(mutant.name) \(mutant.change.kind.rawValue) \(mutant.place)"
        switch result.verdict {
        case .killed(let test): print("killed      \(label): \(test)")
        case .equivalent(let reason): print("equivalent  \(label): \(reason)")
        case .lives: print("LIVES       \(label)\n\(try patch(of: mutant, text: text))")
        case .unreached: print("UNREACHED   \(label)\n\(try patch(of: mutant, text: text))")
        }
        // A run takes hours, and its output may go into a file.
        fflush(nil)
    }

    /// The mistake as `git apply` takes it.
    private func patch(of mutant: DrawnMutant, text: String) throws -> String {
        let folder = patches.appending(path: mutant.name)
        for (side, content) in [("a", text), ("b", mutant.change.applied(to: text))] {
            let file = folder.appending(path: "\(side)/\(mutant.file)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        let patch = patches.appending(path: "\(mutant.name).patch")
        _ = try Program.run(
            ["git", "diff", "--no-index", "--no-prefix", "--no-color", "-U3", "a/\(mutant.file)", "b/\(mutant.file)"],
            in: folder, output: patch)
        try FileManager.default.removeItem(at: folder)
        return try String(contentsOf: patch, encoding: .utf8)
    }

    /// Prints the rate of each module with the interval in which it lies with 95 % certainty.
    func showTable(of results: [TrialResult], title: String) {
        let counted = results.filter { if case .equivalent = $0.verdict { false } else { true } }
        print("\n| \(title) | counted | killed | rate | interval |\n| --- | ---: | ---: | ---: | --- |")
        for (module, group) in Dictionary(grouping: counted, by: \.mutant.module).sorted(by: { $0.key < $1.key }) {
            showRow(module, group)
        }
        showRow("all", counted)
        print("\(results.count - counted.count) equivalent mutants are not counted.")
        fflush(nil)
    }

    private func showRow(_ name: String, _ results: [TrialResult]) {
        let killed = results.count { if case .killed = $0.verdict { true } else { false } }
        let rate = Rate(hits: killed, of: results.count)
        print("| \(name) | \(results.count) | \(killed) | \(rate.percent) | \(rate.interval) |")
    }
}

/// A share that was measured with some draws.
struct Rate {
    let hits: Int
    let of: Int

    /// The share, in percent.
    var percent: String { of == 0 ? "–" : Self.text(Double(hits) / Double(of)) }

    /// Wilson's interval for 95 %, which holds for few draws and for shares near 1, too.
    var interval: String {
        guard of > 0 else { return "–" }
        let z = 1.96
        let total = Double(of)
        let share = Double(hits) / total
        let middle = share + z * z / (2 * total)
        let spread = z * (share * (1 - share) / total + z * z / (4 * total * total)).squareRoot()
        let scale = 1 + z * z / total
        return "\(Self.text((middle - spread) / scale)) to \(Self.text((middle + spread) / scale))"
    }

    private static func text(_ share: Double) -> String {
        String(format: "%.0f %%", min(max(share, 0), 1) * 100)
    }
}
