internal import Foundation
internal import LabFile
internal import LabKit
internal import LabSystem

/// Replaces the deprecated words of files by the current ones.
///
/// The meaning of a word depends on its actor, so the scenarios of the files' projects are read, which include some of
/// the files.
struct LanguageUpgrade {
    /// Possible omissions, one sentence each.
    private(set) var notes: [String] = []
    /// Places of deprecated words, by the file without links.
    private var words: [String: [(range: SourceRange, spelling: OldSpelling)]] = [:]
    private let version: Int64

    /// Searches for deprecated words in files, and in the files that their projects' scenarios include.
    ///
    /// - Parameters:
    ///   - files: The files, without lab files.
    ///   - version: The language version to write into the files.
    init(of files: [String], to version: Int64 = LanguageVersion.current) {
        self.version = version
        let projects = Dictionary(grouping: files) { SuiteReader.findLabFile(near: $0) ?? "" }
        for (labFile, files) in projects.sorted(by: { $0.key < $1.key }) {
            guard !labFile.isEmpty else {
                notes += files.map {
                    "old words in \($0) stay: no lab.yaml near it defines its actors"
                }
                continue
            }
            // Files of steps are read where a scenario includes them.
            let scenarios = files.filter { !Self.isIncludedFile($0) }
            let read = SuiteReader(labPath: labFile).read(scenarios + [Files.directory(of: labFile)])
            add(read.warnings)
            let included = Set(read.scenarios.flatMap(\.includes))
            notes += files.filter { !scenarios.contains($0) && !included.contains(IncludedFiles.identity(of: $0)) }
                .map { "old words in \($0) stay: no scenario of its project includes it" }
            if !read.diagnostics.isEmpty {
                notes.append("old words may be left where `lab check` finds mistakes: \(read.diagnostics.count) here")
            }
        }
    }

    /// Searches for deprecated words in a scenario that is not a file, with the actors of the lab file here.
    init(of source: SourceFile, to version: Int64 = LanguageVersion.current) {
        self.version = version
        guard let labFile = SuiteReader(labPath: nil).readLabFile(near: ".").labFile else {
            notes.append("old words stay: no lab.yaml here defines the actors")
            return
        }
        add(ScenarioReader.read(source, id: source.path, labFile: labFile, environment: [:]).warnings)
    }

    private static func isIncludedFile(_ path: String) -> Bool {
        (try? SourceFile.read(path).get()).map(ScenarioReader.isIncludedFile) ?? false
    }

    private mutating func add(_ warnings: [Diagnostic]) {
        for warning in warnings {
            guard case .oldSpelling(let spelling) = warning.kind else { continue }
            words[IncludedFiles.identity(of: warning.place.file.path), default: []].append(
                (warning.place.range, spelling))
        }
    }

    /// A file in current words.
    func upgraded(_ file: SourceFile) -> SourceFile {
        var edits = (words[IncludedFiles.identity(of: file.path)] ?? []).map {
            ($0.range, $0.spelling.old, $0.spelling.new)
        }
        if let named = YAMLDocument.parse(file, reporting: DiagnosticCollector())?[LanguageVersion.key],
            let text = named.scalar?.text, let number = Int64(text), (1..<version).contains(number)
        {
            edits.append((named.place.range, text, String(version)))
        }
        guard !edits.isEmpty else { return file }
        var lines = file.lines
        // From the end, so that earlier places stay valid.
        for (range, old, new) in edits.sorted(by: { $0.0.start > $1.0.start }) {
            let line = Array(lines[range.start.line - 1].unicodeScalars)
            let first = min(range.start.column - 1, line.count)
            // The place includes the quotes.
            let rest = String(String.UnicodeScalarView(line[first...]))
            guard let found = rest.firstRange(of: old) else { continue }
            lines[range.start.line - 1] =
                String(String.UnicodeScalarView(line[..<first])) + rest.replacingCharacters(in: found, with: new)
        }
        return SourceFile(path: file.path, text: lines.joined(separator: "\n"))
    }
}
