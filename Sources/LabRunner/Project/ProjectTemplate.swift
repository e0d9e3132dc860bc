internal import Foundation
internal import LabKit
internal import LabSystem

/// The files of a new project: a cast, a first scenario, and what an editor needs to complete both.
public struct ProjectTemplate {
    /// What became of a file.
    public struct Outcome: Equatable, Sendable {
        /// Path below the project's folder.
        public let path: String
        /// Whether it was written; a file that was there before is never touched.
        public let isNew: Bool
    }

    private let directory: String

    /// - Parameter directory: the project's folder; made when it is missing.
    public init(directory: String) {
        self.directory = Files.absolute(directory)
    }

    /// Writes the files that are missing.
    ///
    /// - Returns: what became of each, in the order in which somebody would read them.
    /// - Throws: ``BadUsage`` when the folder cannot be written.
    public func write() throws -> [Outcome] {
        do {
            return try Self.files.map { path, content in
                let target = "\(directory)/\(path)"
                guard !Files.exists(target) else { return Outcome(path: path, isNew: false) }
                try Files.createDirectory(Files.directory(of: target), mode: 0o755)
                try Files.write(Data(content().utf8), to: target, mode: 0o644)
                return Outcome(path: path, isNew: true)
            }
        } catch let error as SystemError {
            throw BadUsage(sentence: "the project cannot be written: \(error.sentence)")
        }
    }

    private static let files: [(path: String, content: @Sendable () -> String)] = [
        ("lab.yaml", { lab }), ("Scenarios/first.yaml", { scenario }), (".gitignore", { ".lab/\n" }),
        (".lab/scenario.schema.json", { ScenarioSchema.json(of: .scenario).prettyPrinted() + "\n" }),
        (".lab/lab.schema.json", { ScenarioSchema.json(of: .lab).prettyPrinted() + "\n" }),
    ]

    private static let lab = """
        # yaml-language-server: $schema=.lab/lab.schema.json
        # Who takes part. `main` and `wallet` are two apps of one vendor that share an activation, on one phone.
        topologies:
          default:
            devices:
              phone:
                kind: phone
                apps:
                  main:
                    kind: app
                    bundleIdentifier: com.example.main
                    appGroups: [group.com.example]
                    keychainAccessGroups: [LABTEAM001.com.example.shared]
                    powerAuth:
                      instanceId: com.example.bank
                      sharing:
                        appGroup: group.com.example
                        appIdentifier: com.example.main
                        keychainAccessGroup: LABTEAM001.com.example.shared

                  wallet:
                    kind: app
                    bundleIdentifier: com.example.wallet
                    appGroups: [group.com.example]
                    keychainAccessGroups: [LABTEAM001.com.example.shared]
                    powerAuth:
                      instanceId: com.example.bank
                      sharing:
                        appGroup: group.com.example
                        appIdentifier: com.example.wallet
                        keychainAccessGroup: LABTEAM001.com.example.shared

        """

    private static let scenario = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A second app signs with the activation of the first
        steps:
          - server: initActivation
            with: { userId: alice }
            as: code

          - main: createActivation
            with: { activationCode: "${code.activationCode}" }

          - main: persistActivation
            with: { password: "1234" }

          - server: commitActivation
            with: { activationId: "${code.activationId}" }

          - wallet: fetchActivationStatus
            expect: { state: active, remainingAttempts: 5 }

          - wallet: validatePassword
            with: { password: "1234" }

          - note: A wrong password costs both apps an attempt
            wallet: validatePassword
            with: { password: "0000" }
            fails: any

          - main: fetchActivationStatus
            expect: { state: active, remainingAttempts: 4 }

        """
}
