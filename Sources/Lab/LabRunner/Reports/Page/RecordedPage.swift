import Foundation
import LabSystem

/// A page in the directory of a run.
public struct RecordedPage: Sendable {
    let path: String

    /// Its URL.
    public var address: String { URL(fileURLWithPath: path).absoluteString }

    /// Opens the page in a browser, if the session is graphical.
    ///
    /// - Parameter environment: shows whether the session is graphical: `DISPLAY`, `WAYLAND_DISPLAY`, or the user's
    ///   browser.
    public func openInBrowser(environment: [String: String]) {
        guard ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains(where: { environment[$0]?.isEmpty == false }) else {
            return
        }
        // Without a browser the URL is enough, and it was printed.
        _ = try? ToolCall.output(of: ["xdg-open", path])
    }
}

extension RecordedRuns {
    /// The page of a run; written if missing.
    ///
    /// - Parameters:
    ///   - name: identifier or directory of the run; nil means the last run.
    ///   - other: a run to compare it with, on a page with both.
    /// - Throws: ``BadUsage`` if the run does not exist or has not ended.
    public func page(of name: String?, against other: String?) throws -> RecordedPage {
        let run = try run(in: try directory(of: name))
        guard let other else {
            let path = "\(run.directory)/\(PageReport.fileName)"
            if !Files.exists(path) { try write([run], to: path) }
            return RecordedPage(path: path)
        }
        let second = try self.run(in: try directory(of: other))
        guard second.directory != run.directory else {
            throw BadUsage(sentence: "\(other) is the same run; --against takes another one")
        }
        let path = "\(run.directory)/against-\(Files.name(of: second.directory)).html"
        try write([run, second], to: path)
        return RecordedPage(path: path)
    }

    /// A run that has written its report.
    func run(in directory: String) throws -> (directory: String, report: JSONReport) {
        // The name `latest` is a link.
        let directory = IncludedFiles.identity(of: directory)
        guard let report = try report(of: directory) else {
            throw BadUsage(
                sentence:
                    "\(directory) has no report: the run was killed or still runs; `lab check` reads what it left")
        }
        return (directory, report.found(beside: directory))
    }

    private func write(_ runs: [(directory: String, report: JSONReport)], to path: String) throws {
        let page = PageReport(
            runs: runs.map { .init(label: runs.count > 1 ? Files.name(of: $0.directory) : "", report: $0.report) },
            kept: try history())
        try page.write(to: path)
    }
}
