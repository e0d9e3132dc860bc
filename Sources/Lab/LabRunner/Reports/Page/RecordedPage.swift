internal import Foundation
internal import LabSystem

/// A page that lies in the directory of a run.
public struct RecordedPage: Sendable {
    let path: String

    /// Where a browser finds it.
    public var address: String { URL(fileURLWithPath: path).absoluteString }

    /// Opens the page, when this session has windows.
    ///
    /// - Parameter environment: tells of windows: `DISPLAY`, `WAYLAND_DISPLAY`, or the browser that the user wants.
    public func openInBrowser(environment: [String: String]) {
        guard ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains(where: { environment[$0]?.isEmpty == false }) else {
            return
        }
        // Without a browser its address is what there is to say, and that was said.
        _ = try? ToolCall.output(of: ["xdg-open", path])
    }
}

extension RecordedRuns {
    /// The page of a run; it is written when it is not there yet.
    ///
    /// - Parameters:
    ///   - name: identifier or directory of the run; nil means the last run.
    ///   - other: a run to compare it with, on a page with both.
    /// - Throws: ``BadUsage`` when there is no such run, or it has not come to its end.
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
                    "\(directory) has no report: the run was killed, or still goes on; `lab check` reads what it left")
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
