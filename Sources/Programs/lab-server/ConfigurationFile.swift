import ArgumentParser
import LabFile
import LabKit

/// The file that `--config` names.
enum ConfigurationFile {
    /// Reads the settings.
    /// - Throws: `ValidationError` with every mistake of the file, each at its place.
    static func read(_ path: String) throws -> ServerSpec {
        let collector = DiagnosticCollector()
        switch SourceFile.read(path) {
        case .failure(let diagnostic):
            throw ValidationError(DiagnosticRenderer().render(diagnostic))
        case .success(let file):
            guard let spec = ServerSpecReader(collector).read(file) else {
                let renderer = DiagnosticRenderer(secrets: collector.secretRanges)
                throw ValidationError("\(path) cannot be used.\n" + renderer.render(collector.diagnostics))
            }
            return spec
        }
    }
}
