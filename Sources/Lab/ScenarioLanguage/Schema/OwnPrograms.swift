// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabFile

/// The programs of own apps that a project's lab file names, with their vocabularies.
public struct OwnPrograms: Sendable {
    /// A program and its apps.
    public struct Program: Equatable, Sendable {
        /// The file's name.
        public let name: String
        /// Names of the apps, over all topologies.
        public let apps: [String]
        /// Its vocabulary.
        public let vocabulary: AppVocabulary
    }

    /// No programs: a project without own apps.
    public static let none = OwnPrograms(programs: [], complaint: nil)

    /// The programs, each once, in the order of the file.
    public let programs: [Program]
    /// The problem with the lab file or its programs, for output; nil if none.
    public let complaint: String?

    package var commands: [CommandDeclaration] { programs.flatMap(\.vocabulary.commands) }
    package var errors: [String] { programs.flatMap(\.vocabulary.errors) }

    /// The programs of the lab file at a path or above it, over all of its topologies.
    public static func near(_ path: String) -> OwnPrograms {
        guard SuiteReader.findLabFile(near: path) != nil else { return .none }
        let reading = SuiteReader(labPath: nil).readLabFile(near: path)
        guard let labFile = reading.labFile else {
            return OwnPrograms(programs: [], complaint: DiagnosticRenderer().render(reading.diagnostics))
        }
        let collector = DiagnosticCollector()
        var order: [String] = []
        var apps: [String: [String]] = [:]
        var vocabularies: [String: AppVocabulary] = [:]
        for name in labFile.names {
            let topology = labFile.topology(
                named: name, at: SourcePlace(.start, in: labFile.file), overrides: nil, reporting: collector)
            for app in topology?.apps ?? [] {
                guard let own = app.own, let vocabulary = own.vocabulary else { continue }
                if vocabularies.updateValue(vocabulary, forKey: own.path) == nil { order.append(own.path) }
                if apps[own.path]?.contains(app.name) != true { apps[own.path, default: []].append(app.name) }
            }
        }
        let programs = order.compactMap { path in
            vocabularies[path].map {
                Program(name: OwnProgram(path: path).name, apps: apps[path] ?? [], vocabulary: $0)
            }
        }
        return OwnPrograms(
            programs: programs,
            complaint: collector.isEmpty ? nil : DiagnosticRenderer().render(collector.diagnostics))
    }
}
