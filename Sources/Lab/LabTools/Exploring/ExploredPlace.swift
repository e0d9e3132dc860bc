// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabFile
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// Where a search keeps records, and the scenario of what it has found: `.lab/explored` in the folder of the lab file.
struct ExploredPlace {
    /// The folder of the lab file.
    let root: String
    /// Absolute path of the directory for the records; the scenario is written beside it.
    let directory: String
    private let environment: [String: String]
    private let settings: [String: String]
    private let labOption: String?

    /// Takes the next number of a name: `NAME-1`, `NAME-2`.
    /// - Parameters:
    ///   - root: Absolute path of the folder of the lab file.
    ///   - settings: The values of `--set`, for reading the scenario.
    ///   - labOption: The value of `--lab`, for the command that repeats the scenario; nil without one.
    /// - Throws: ``LabFailure`` if no directory can be made.
    init(
        name: String, below root: String, environment: [String: String], settings: [String: String] = [:],
        labOption: String? = nil
    ) throws {
        self.root = root
        self.environment = environment
        self.settings = settings
        self.labOption = labOption
        let folder = "\(root)/.lab/explored"
        do {
            try Files.createDirectory(folder, mode: 0o755)
            directory = try Self.take(in: folder, name: name)
        } catch {
            throw LabFailure("A directory for the records of `\(name)` was not made in \(folder): \(error).")
        }
    }

    /// The name of a scenario's records: that of its file.
    static func name(of scenario: Scenario) -> String {
        let file = Files.name(of: scenario.file.path)
        return file.hasSuffix(".yaml") ? String(file.dropLast(".yaml".count)) : file
    }

    private static func take(in folder: String, name: String) throws -> String {
        var number = 1
        while true {
            let directory = "\(folder)/\(name)-\(number)"
            number += 1
            guard !Files.exists("\(directory).yaml") else { continue }
            do {
                try Files.createNewDirectory(directory)
                return directory
            } catch let error as SystemError where error.errno == EEXIST {
                continue
            }
        }
    }

    /// Writes the scenario of an order that fails, and reads it as `lab run` will.
    /// - Returns: The scenario as it was read.
    /// - Throws: As ``write(_:row:)``; ``LabFailure`` if the block is not found in the file.
    func write(_ finding: OrderFinding, number: Int, of explored: ExploredScenario, seed: UInt64) throws -> Scenario {
        let source = explored.scenario.file.path.onOneVisibleLine
        let remark = "Order \(number) that the lab has played of \(source), seed \(seed): it fails."
        let text = try explored.text(inOrder: finding.turns, remark: remark, below: root)
        return try write(text, row: explored.scenario.row)
    }

    /// Writes a scenario, and reads it as `lab run` will.
    /// - Parameter row: The row that is meant of a table; nil without a table.
    /// - Returns: The scenario as it was read.
    /// - Throws: ``LabFailure`` if the file is not one that `lab run` takes.
    func write(_ text: String, row: String? = nil) throws -> Scenario {
        let path = "\(directory).yaml"
        try Files.write(Data(text.utf8), to: path)
        let shown = ScenarioPath.shortened(path)
        let suffix = row.map { "[\($0)]" } ?? ""
        let read = SuiteReader(labPath: labOption, environment: environment, settings: settings)
            .read([shown + suffix])
        guard read.diagnostics.isEmpty, let scenario = read.scenarios.first else {
            try Files.remove(path)
            throw LabFailure(
                "\(shown) was removed, because `lab run` would not take it:\n"
                    + DiagnosticRenderer(secrets: read.secrets).render(read.diagnostics))
        }
        return scenario
    }

    /// Removes the directory if no order has left a record: only the records of what was found are kept, with that of a
    /// set-up that the orders share.
    func removeIfEmpty() {
        guard let names = try? Files.list(directory), names.allSatisfy({ $0 == SharedSetups.folder }) else { return }
        try? Files.removeTree(directory)
    }
}
