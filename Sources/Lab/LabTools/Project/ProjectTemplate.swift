// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import ScenarioLanguage

/// The files of a new project: a topology, a first scenario, and the schemas for an editor's completion.
public struct ProjectTemplate {
    /// The result for one file.
    public struct Outcome: Equatable, Sendable {
        /// Path below the project's folder.
        public let path: String
        /// What was done with it.
        public let change: Change
    }

    /// What was done with a file.
    public enum Change: String, Sendable {
        /// It was created.
        case wrote
        /// It existed and was left alone, or was up to date.
        case kept
        /// A schema of another version of the lab, or of an own app, was replaced.
        case anew
    }

    /// A build server that runs the scenarios on each change.
    public enum BuildServer: String, CaseIterable, Sendable {
        /// GitHub Actions.
        case github
        /// GitLab CI.
        case gitlab
    }

    private let directory: String
    private let cast: ProjectCast
    private let buildServer: BuildServer?

    /// - Parameters:
    ///   - directory: the project's folder; created if missing.
    ///   - cast: the actors; nil for two apps on a phone, and one scenario.
    ///   - buildServer: gets a file of its own; nil for no build server.
    public init(directory: String, cast: ProjectCast? = nil, buildServer: BuildServer? = nil) {
        self.directory = Files.absolute(directory)
        self.cast = cast ?? .usual
        self.buildServer = buildServer
    }

    /// Writes the missing files, and all schemas.
    /// - Parameter complain: gets the mistakes of an existing lab file or of its own apps; the schemas then lack the
    ///   commands of these apps.
    /// - Returns: the result for each file, in reading order.
    /// - Throws: ``BadUsage`` when the folder cannot be written.
    public func write(complain: (String) -> Void = { _ in }) throws -> [Outcome] {
        do {
            let files = cast.files + [(".gitignore", ".lab/\n")] + (buildServer.map { [Self.file(for: $0)] } ?? [])
            let outcomes = try files.map { path, content in
                try write(content, to: path, isOwn: false)
            }
            // The lab file exists now; the commands of steps depend on the apps that it names.
            let own = OwnPrograms.near(directory)
            if let complaint = own.complaint { complain(complaint) }
            return try outcomes
                + Self.schemas.map { name, kind in
                    let text = ScenarioSchema.json(of: kind, with: own).prettyPrinted() + "\n"
                    return try write(text, to: ".lab/\(name).schema.json", isOwn: true)
                }
        } catch let error as SystemError {
            throw BadUsage(sentence: "the project cannot be written: \(error.sentence)")
        }
    }

    /// - Parameter isOwn: whether the lab is the file's only writer.
    private func write(_ content: String, to path: String, isOwn: Bool) throws -> Outcome {
        let target = "\(directory)/\(path)"
        let isThere = Files.exists(target)
        let text = Data(content.utf8)
        if isThere, try !isOwn || Files.read(target) == text { return Outcome(path: path, change: .kept) }
        try Files.createDirectory(Files.directory(of: target), mode: 0o755)
        try Files.write(text, to: target, mode: 0o644)
        return Outcome(path: path, change: isThere ? .anew : .wrote)
    }

    /// The schemas that the first lines of files name.
    private static let schemas: [(name: String, kind: ScenarioSchema.Kind)] = [
        ("scenario", .scenario), ("steps", .include), ("lab", .lab),
    ]

    private static func file(for buildServer: BuildServer) -> (String, String) {
        switch buildServer {
        case .github: (".github/workflows/lab.yml", github)
        case .gitlab: (".gitlab-ci.yml", gitlab)
        }
    }

    private static let github = """
        name: Lab
        on: [push, pull_request]
        jobs:
          scenarios:
            runs-on: ubuntu-latest
            # An image that the lab's Containerfile makes, in a registry of your own.
            container: ghcr.io/example/powerauth-lab:latest
            steps:
              - uses: actions/checkout@v4
              - run: lab run --report junit=report.xml --report html=page
              - uses: actions/upload-artifact@v4
                if: always()
                with:
                  name: lab
                  path: |
                    report.xml
                    page

        """

    private static let gitlab = """
        scenarios:
          image:
            # An image that the lab's Containerfile makes, in a registry of your own.
            name: registry.example.com/powerauth-lab:latest
            entrypoint: [""]
          script:
            - lab run --report junit=report.xml --report codequality=quality.json --report html=page
          artifacts:
            when: always
            paths: [page]
            reports: { junit: report.xml, codequality: quality.json }

        """
}
