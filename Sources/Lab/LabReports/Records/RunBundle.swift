// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// What a bundle of a run leaves out.
public enum BundleRedaction: String, CaseIterable, Sendable {
    /// Secrets, which are masked in every record.
    case secrets
    /// Also the payloads of requests and responses, and the answers of commands.
    case payloads
}

/// A run as one file for sending.
struct RunBundle {
    /// Absolute path of the run's directory.
    package let run: String

    /// Packs everything.
    /// - Parameter file: The archive. Only its owner can read it, as the records themselves (mode 0600).
    /// - Throws: `LabFailure` if it cannot be packed.
    package func write(to file: String) throws {
        let failure = LabFailure("\(run) could not be packed into \(file); is there room, and may it be written?")
        do {
            try Files.write(to: file) { archive in
                let words = [
                    "tar", "-czf", archive.path ?? file, "--exclude", RunDirectory.lockName, "-C",
                    Files.directory(of: run), Files.name(of: run),
                ]
                guard try ToolCall.output(of: words) != nil else { throw failure }
            }
        } catch is SystemError {
            throw failure
        }
    }

    /// Packs a copy without payloads. Quotes in failures stay: they are why a bundle is sent.
    /// - Parameter file: The archive.
    /// - Throws: `LabFailure` if it cannot be packed.
    func writeWithoutPayloads(to file: String) throws {
        let place = "\(FileManager.default.temporaryDirectory.path)/lab-bundle-\(UUID().uuidString)"
        try Files.createNewDirectory(place)
        defer { try? Files.removeTree(place) }
        let copy = "\(place)/\(Files.name(of: run))"
        try copyDirectory(run, to: copy)
        try renderPage(in: copy)
        try RecordChecksums.write(in: copy)
        try RunBundle(run: copy).write(to: file)
    }

    private func copyDirectory(_ directory: String, to target: String) throws {
        try Files.createNewDirectory(target)
        for name in try Files.list(directory) {
            let (source, copy) = ("\(directory)/\(name)", "\(target)/\(name)")
            if Files.isDirectory(source) {
                try copyDirectory(source, to: copy)
            } else if let content = try Self.content(of: source) {
                try Files.write(content, to: copy)
            }
        }
    }

    /// The content of a file without payloads; nil for a file to leave out, because it is generated from others.
    private static func content(of path: String) throws -> Data? {
        switch Files.name(of: path) {
        case RunDirectory.lockName, RecordChecksums.fileName: return nil
        case let name where name.hasSuffix(".html"): return nil
        case ScenarioTraffic.fileName:
            guard case .array(let requests)? = try? JSONValue.parse(Files.read(path)) else { return nil }
            return JSONValue.array(requests.map(\.withoutPayloads)).encoded()
        case History.fileName:
            let events = History.events(of: try Files.read(path)).map(\.withoutAnswer)
            return Data(try events.flatMap { try JSONValue(encoding: $0).encoded() + [0x0A] })
        default: return try Files.read(path)
        }
    }

    /// Regenerates the page from the remaining records.
    private func renderPage(in copy: String) throws {
        guard let data = try? Files.read("\(copy)/\(JSONReport.fileName)"),
            var report = try? JSONDecoder().decode(JSONReport.self, from: data)
        else { return }
        // The recorded directory may still exist, with all payloads; only the records in the copy may be shown.
        for index in report.results.indices {
            report.results[index].directory = "\(copy)/\(Files.name(of: report.results[index].directory))"
        }
        try PageReport(runs: [.init(label: "", report: report)]).write(to: "\(copy)/\(PageReport.fileName)")
    }
}

extension JSONValue {
    /// The remainder of a request: its line, its result, and its step.
    fileprivate var withoutPayloads: JSONValue {
        guard case .object(let members) = self else { return .null }
        let outline: Set = ["number", "incarnation", "method", "path", "status", "fault"]
        var left = members.filter { outline.contains($0.key) }
        if let step = self["headers"]?["X-Lab-Operation"] { left["headers"] = ["X-Lab-Operation": step] }
        return .object(left)
    }
}

extension HistoryEvent {
    /// The event with a mark in place of the answer of its command.
    fileprivate var withoutAnswer: HistoryEvent {
        guard case .command(var call) = fact, call.result != nil else { return self }
        call.result = "left out of the bundle"
        return HistoryEvent(time: time, step: step, .command(call))
    }
}
