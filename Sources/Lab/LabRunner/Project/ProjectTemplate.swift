internal import Foundation
internal import LabKit
internal import LabSystem

/// The files of a new project: a cast, a first scenario, and what an editor needs to complete both.
public struct ProjectTemplate {
    /// What became of a file.
    public struct Outcome: Equatable, Sendable {
        /// Path below the project's folder.
        public let path: String
        /// What was done about it.
        public let change: Change
    }

    /// What was done about a file.
    public enum Change: String, Sendable {
        /// It was missing.
        case wrote
        /// It was there, and is never touched, or is what it should be.
        case kept
        /// A schema that another version of the lab, or of an own app, has made.
        case anew
    }

    /// A build server that plays the scenarios with each change.
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
    ///   - directory: the project's folder; made when it is missing.
    ///   - cast: who takes part; nil for two apps on a phone, and one scenario.
    ///   - buildServer: gets a file of its own; nil when there is none.
    public init(directory: String, cast: ProjectCast? = nil, buildServer: BuildServer? = nil) {
        self.directory = Files.absolute(directory)
        self.cast = cast ?? .usual
        self.buildServer = buildServer
    }

    /// Writes the files that are missing, and the schemas anew.
    ///
    /// - Parameter complain: takes what is wrong with a lab file that was there, or with its own apps, whose commands the
    ///   schemas then miss.
    /// - Returns: what became of each, in the order in which somebody would read them.
    /// - Throws: ``BadUsage`` when the folder cannot be written.
    public func write(complain: (String) -> Void = { _ in }) throws -> [Outcome] {
        do {
            let files = cast.files + [(".gitignore", ".lab/\n")] + (buildServer.map { [Self.file(for: $0)] } ?? [])
            let outcomes = try files.map { path, content in
                try write(content, to: path, isOwn: false)
            }
            // The lab file is there now; the apps that it names tell what steps can say.
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

    /// What the first lines of files name.
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
