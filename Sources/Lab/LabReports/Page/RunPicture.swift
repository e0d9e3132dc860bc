// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// A moment of a recorded run, as `RUN#STEP` names it.
public struct RunPlace: Equatable, Sendable {
    /// Identifier or directory of the run; nil means the last one.
    public let run: String?
    /// The number of a step, meaning the moment after it, or the time since the scenario began, such as `150ms`; nil
    /// means where the page opens.
    public let step: String?

    /// Reads a place.
    /// - Parameter text: A run, a step behind `#`, or both; nil means the last run.
    /// - Throws: ``BadUsage`` for a `#` without a step.
    public init(_ text: String?) throws {
        // A folder may have such a sign in its name.
        guard let text, let sign = text.lastIndex(of: "#"), !Files.isDirectory(text) else {
            (run, step) = (text, nil)
            return
        }
        let moment = text[text.index(after: sign)...]
        guard !moment.isEmpty else {
            throw BadUsage(sentence: "`\(text)` has no step behind #; a step is written as in `latest#3.2`")
        }
        run = sign == text.startIndex ? nil : String(text[..<sign])
        step = String(moment)
    }
}

/// A picture of a run, for a ticket or a page.
public struct RunPicture: Sendable {
    /// What is on a picture.
    public enum Part: String, CaseIterable, Sendable {
        /// The devices, apps, links and server of a scenario at one time.
        case bench
        /// The whole page of a scenario.
        case page
        /// The list of all scenarios of the run.
        case overview
    }

    /// How wide a picture may be, in pixels. The window of a browser is not narrower.
    public static let widths = 500...4_000

    /// The run, and the moment that is shown.
    public let place: RunPlace
    /// The scenario's file, or a row as in `login.yaml[wrong-pin]`; nil means the first that did not pass, or else the
    /// first.
    public let scenario: String?
    /// What is on it.
    public let part: Part
    /// In pixels.
    public let width: Int
    /// Whether its ground is dark.
    public let isDark: Bool

    /// Describes a picture.
    /// - Throws: ``BadUsage`` for a width out of ``widths``, and for a scenario or a step in a list of all scenarios.
    public init(of part: Part, at place: RunPlace, in scenario: String?, width: Int, isDark: Bool) throws {
        guard Self.widths.contains(width) else {
            throw BadUsage(
                sentence:
                    "--width \(width) does not fit: pictures have \(Self.widths.lowerBound) to \(Self.widths.upperBound) pixels"
            )
        }
        guard part != .overview || (scenario == nil && place.step == nil) else {
            throw BadUsage(
                sentence: "--show overview has all scenarios of the run; leave out --scenario and the step behind #")
        }
        (self.part, self.place, self.scenario, self.width, self.isDark) = (part, place, scenario, width, isDark)
    }

    /// The words in the address of every picture's page.
    fileprivate var words: [(String, String)] {
        [("picture", part == .bench ? "bench" : "page"), ("theme", isDark ? "dark" : "light")]
    }
}

extension RecordedRuns {
    /// Draws a picture of a run. The page for it is written anew, as the run's own may be of an older lab.
    /// - Parameters:
    ///   - picture: What to draw.
    ///   - browser: What draws it.
    ///   - output: The file; nil names it after run and step, in the current directory. Only its owner can read it, as
    ///     the records themselves (mode 0600).
    ///   - interruption: Ends the browser when it is signalled.
    /// - Returns: The file; nil if interrupted.
    /// - Throws: ``BadUsage`` if the run, the scenario, the step or the file's directory does not exist, ``LabFailure``
    ///   if the picture cannot be drawn or written, ``DamagedRecord`` if the run was modified.
    public func draw(
        _ picture: RunPicture, with browser: HeadlessBrowser, to output: String?,
        until interruption: EventDescriptor? = nil
    ) throws -> String? {
        let run = try run(in: try directory(of: picture.place.run))
        let suffix = picture.place.step.map { "-\($0)" } ?? ""
        let file = output ?? "\(Files.name(of: run.directory))\(suffix).png"
        guard Files.isDirectory(Files.directory(of: file)), !Files.isDirectory(file) else {
            throw BadUsage(sentence: "the picture \(file) cannot be written: name a file in a directory that exists")
        }
        var report = run.report
        var words = picture.words
        if picture.part == .overview {
            // The list has no timelines, so none is read.
            for index in report.results.indices { report.results[index].directory = "" }
        } else {
            let shown = try result(of: picture.scenario, in: run)
            report.results = [shown]
            words.append(("s", "0"))
            if let step = picture.place.step { words.append(try Self.word(for: step, of: shown)) }
        }
        var page = PageReport(
            runs: [.init(label: "", report: report)], kept: try picture.part == .overview ? history() : nil)
        page.isCompressed = false
        // Short, because the browser makes a socket in it.
        let folder = "\(FileManager.default.temporaryDirectory.path)/lab-picture-\(UUID().uuidString.prefix(8))"
        do {
            try Files.createNewDirectory(folder)
            defer { try? Files.removeTree(folder) }
            let path = "\(folder)/\(PageReport.fileName)"
            try page.write(to: path)
            let fragment = words.map { "\($0)=\($1)" }.joined(separator: "&")
            let address = "\(URL(fileURLWithPath: path).absoluteString)#\(fragment)"
            guard let drawn = try browser.picture(of: address, width: picture.width, in: folder, until: interruption)
            else { return nil }
            try Files.write(drawn, to: file)
        } catch let error as SystemError {
            throw LabFailure("the picture \(file) was not written: \(error)")
        }
        return file
    }

    /// The result that a picture shows.
    private func result(
        of scenario: String?, in run: (directory: String, report: JSONReport)
    ) throws -> ScenarioResult {
        let results = run.report.results.filter { result in
            Files.isDirectory(result.directory) && (scenario.map { concerns(result.scenario, path: $0) } ?? true)
        }
        guard let result = results.first(where: { $0.verdict != .passed }) ?? results.first else {
            let name = Files.name(of: run.directory)
            throw BadUsage(sentence: "the run \(name) has recorded nothing of \(scenario ?? "any scenario")")
        }
        return result
    }

    /// The word of the page's address for a step, or for a time since the scenario began.
    private static func word(for place: String, of result: ScenarioResult) throws -> (String, String) {
        guard let steps = StepEnds(in: result.directory), let timeline = ScenarioTimeline(recordedIn: result.directory)
        else { throw BadUsage(sentence: "nothing is recorded of the steps of \(result.id)") }
        let moment = try steps.moment(at: place)
        if moment.step == place { return ("after", place) }
        // The page counts from the first event, which is earlier than the first step.
        return ("at", String(HistoryEvent.microseconds(moment.time, since: timeline.begin)))
    }
}
