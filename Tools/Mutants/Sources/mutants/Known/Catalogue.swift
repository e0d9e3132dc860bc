// SPDX-License-Identifier: Apache-2.0

import Foundation
import Yams

/// All described mutants, each checked against the file that it is in.
struct Catalogue {
    let mutants: [PlacedMutant]
    /// The content of every file that a mutant is in, by path.
    private let texts: [String: String]

    /// Reads every `Tools/Mutants/*.yaml`; a file is named after its module.
    ///
    /// - Throws: ``Failure`` with every mistake of all descriptions.
    init(root: URL) throws {
        let directory = root.appending(path: "Tools/Mutants")
        let content = try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        let files = (content ?? []).filter { $0.pathExtension == "yaml" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        guard !files.isEmpty else {
            throw Failure("There is no description of a mutant in \(directory.path); run this from the package's root.")
        }
        var mistakes: [String] = []
        var mutants: [PlacedMutant] = []
        var texts: [String: String] = [:]
        for file in files {
            let page = "Tools/Mutants/\(file.lastPathComponent)"
            let described: [Mutant]
            do {
                described = try YAMLDecoder().decode([Mutant].self, from: String(contentsOf: file, encoding: .utf8))
            } catch {
                mistakes.append("\(page) cannot be read; docs/mutants.md shows what a description says. \(error)")
                continue
            }
            let module = file.deletingPathExtension().lastPathComponent
            for mutant in described {
                mistakes += Self.mistakes(in: mutant, of: module).map { "\(page): \(mutant.name): \($0)" }
                if texts[mutant.file] == nil {
                    texts[mutant.file] = try? String(contentsOf: root.appending(path: mutant.file), encoding: .utf8)
                }
                do throws(Failure) {
                    mutants.append(try Self.placed(mutant, in: module, texts[mutant.file]))
                } catch {
                    mistakes.append("\(page): \(mutant.name): \(error)")
                }
            }
        }
        mistakes += Self.collisions(of: mutants)
        guard mistakes.isEmpty else { throw Failure(mistakes) }
        self.mutants = mutants
        self.texts = texts
    }

    /// The mutants of a module, or the one with a name; all of them for nil.
    func selected(by name: String?) throws -> [PlacedMutant] {
        guard let name else { return mutants }
        let selected = mutants.filter { $0.module == name || $0.mutant.name == name }
        guard !selected.isEmpty else {
            let modules = Set(mutants.map(\.module)).sorted().joined(separator: ", ")
            throw Failure("\(name) is neither a mutant nor a module with mutants; there are mutants of \(modules).")
        }
        return selected
    }

    /// The content of every mutated file with all its mutants woven in, by path.
    var wovenTexts: [String: String] {
        var woven: [String: String] = [:]
        for (file, text) in texts {
            let own = mutants.filter { $0.mutant.file == file }
            woven[file] = Weaving(text, with: own.map { .init(name: $0.mutant.name, edit: $0.edit) }).text
        }
        return woven
    }

    private static func mistakes(in mutant: Mutant, of module: String) -> [String] {
        var mistakes: [String] = []
        if mutant.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) == nil {
            mistakes.append("a name is words of small letters and digits, joined by hyphens.")
        }
        // Sources, the building, the module.
        if mutant.file.split(separator: "/").dropFirst(2).first.map(String.init) != module {
            mistakes.append("\(mutant.file) is not in \(module); move the description to its module's.")
        }
        if mutant.original == mutant.mutant { mistakes.append("the mutant is the original; change one of them.") }
        if (try? Regex(mutant.tests)) == nil || mutant.tests.isEmpty {
            mistakes.append("`tests` is no regular expression: \(mutant.tests)")
        }
        return mistakes
    }

    private static func placed(_ mutant: Mutant, in module: String, _ text: String?) throws(Failure) -> PlacedMutant {
        guard let text else { throw Failure("\(mutant.file) cannot be read; correct `file`.") }
        let ranges = mutant.original.isEmpty ? [] : text.ranges(of: mutant.original)
        guard let range = ranges.first else {
            throw Failure("its `original` is not in \(mutant.file); bring the description up to date with the code.")
        }
        guard ranges.count == 1 else {
            throw Failure("its `original` occurs \(ranges.count) times in \(mutant.file); take more code around it.")
        }
        let line = text[..<range.lowerBound].count { $0 == "\n" } + 1
        let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
        let edit = Edit(
            range: start..<(start + mutant.original.utf8.count), mutant: mutant.mutant,
            form: mutant.form == .expression ? .expression : .statement)
        return PlacedMutant(mutant: mutant, module: module, edit: edit, line: line)
    }

    /// Names that are used twice, and fragments that overlap.
    private static func collisions(of mutants: [PlacedMutant]) -> [String] {
        var mistakes: [String] = []
        for (index, one) in mutants.enumerated() {
            for other in mutants[(index + 1)...] {
                if one.mutant.name == other.mutant.name {
                    mistakes.append("\(one.mutant.name) is the name of two mutants; rename one of them.")
                }
                if one.mutant.file == other.mutant.file, one.edit.range.overlaps(other.edit.range) {
                    mistakes.append(
                        "\(one.mutant.name) and \(other.mutant.name) overlap in \(one.place); take smaller fragments.")
                }
            }
        }
        return mistakes
    }
}
