// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A mistake that was drawn.
struct DrawnMutant {
    /// Seed and place in its draw, such as `7-12`.
    let name: String
    let seed: UInt64
    let module: String
    /// Path from the root of the package.
    let file: String
    /// The line on which it begins, from 1.
    let line: Int
    let change: Change

    /// File and line, as editors open it.
    var place: String { "\(file):\(line)" }
}

/// Draws mistakes from all modules, each line with the same chance.
struct Draw {
    /// A file with its mistakes by the line they begin on.
    private struct File {
        let module: String
        let path: String
        let lines: Int
        let changes: [Int: [Change]]
    }

    private var files: [File]
    /// The content of the files, by path.
    let texts: [String: String]

    /// Reads the modules; with `only` it reads one of them.
    init(root: URL, package: LabPackage, only: String?) throws {
        let modules = package.modules.filter { only == nil || $0.name == only }
        guard !modules.isEmpty else {
            let names = package.modules.map(\.name).joined(separator: ", ")
            throw Failure("There is no module \(only ?? ""); the modules are \(names).")
        }
        var files: [File] = []
        var texts: [String: String] = [:]
        for module in modules {
            let folder = root.appending(path: module.path)
            let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for name in names.sorted() where name.hasSuffix(".swift") {
                let path = "\(module.path)/\(name)"
                let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
                texts[path] = text
                files.append(Self.file(text, at: path, of: module.name))
            }
        }
        self.files = files
        self.texts = texts
    }

    /// The same draw from one module only, which a seed chooses by its lines: only what depends on it is built then.
    func narrowed(by seed: UInt64) -> Draw {
        var random = SplitMix(state: seed)
        let module = drawnLine(from: &random).file.module
        var draw = self
        draw.files = files.filter { $0.module == module }
        return draw
    }

    private static func file(_ text: String, at path: String, of module: String) -> File {
        let breaks = text.utf8.enumerated().filter { $0.element == UInt8(ascii: "\n") }.map(\.offset)
        let changes = Dictionary(grouping: ChangeFinder.changes(in: text)) { change in
            breaks.partitioningIndex { $0 >= change.start } + 1
        }
        return File(module: module, path: path, lines: breaks.count + 1, changes: changes)
    }

    /// Mistakes without end, the same for the same seed and code, without repetitions.
    ///
    /// - Parameter count: how many of them.
    func mutants(seed: UInt64, count: Int) -> [DrawnMutant] {
        var random = SplitMix(state: seed)
        var drawn: [DrawnMutant] = []
        var taken: Set<String> = []
        // Most lines give a mistake in a dozen draws; the limit is for a module that has none.
        for _ in 0..<(count * 1_000) where drawn.count < count {
            let (file, line) = drawnLine(from: &random)
            guard let change = file.changes[line]?.randomElement(using: &random),
                taken.insert("\(file.path) \(change)").inserted
            else { continue }
            drawn.append(
                DrawnMutant(
                    name: "\(seed)-\(drawn.count + 1)", seed: seed, module: file.module, file: file.path, line: line,
                    change: change))
        }
        return drawn
    }

    /// A line of all files, from 1 in its file.
    private func drawnLine(from random: inout SplitMix) -> (file: File, line: Int) {
        var line = Int.random(in: 0..<files.reduce(0) { $0 + $1.lines }, using: &random)
        var index = 0
        while line >= files[index].lines {
            line -= files[index].lines
            index += 1
        }
        return (files[index], line + 1)
    }
}

/// A generator that gives the same numbers for the same seed, everywhere.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

extension Array {
    /// The first index whose element fulfils a condition, in an array where all that do come last.
    func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
