// SPDX-License-Identifier: Apache-2.0

import LabFile
import ScenarioLanguage

/// The actors of a new project, and the files about them.
public struct ProjectCast: Equatable, Sendable {
    /// The possible members of a cast; the words of `lab init --cast`.
    public enum Member: String, CaseIterable, Sendable {
        /// A phone with the app `main`. Every cast has it.
        case phone
        /// A second app of the same vendor, `wallet`, that shares the activation.
        case wallet
        /// An app extension of `main`.
        case widget
        /// A watch, paired with the phone, with the companion app of `main`.
        case watch
    }

    let members: Set<Member>
    /// Whether the project gets files to include and a scenario for each member, instead of one scenario with
    /// everything.
    private let isChosen: Bool

    /// Two apps of one vendor on one phone: the default.
    static let usual = ProjectCast(members: [.phone, .wallet], isChosen: false)

    private init(members: Set<Member>, isChosen: Bool) { (self.members, self.isChosen) = (members, isChosen) }

    /// Reads the value of `--cast`.
    /// - Parameter text: Comma-separated members: `phone,watch,widget`.
    /// - Throws: ``BadUsage`` for an unknown word.
    public init(_ text: String) throws {
        let known = Member.allCases.map(\.rawValue)
        var members: Set<Member> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false).map({ String($0).trimmed }) {
            guard let member = Member(rawValue: word) else {
                throw BadUsage(.notAChoice(what: "a member of --cast", value: word, choices: known))
            }
            members.insert(member)
        }
        guard members.contains(.phone) else {
            throw BadUsage(sentence: "--cast needs `phone`: the others belong to its app `main`")
        }
        self.init(members: members, isChosen: true)
    }

    /// The lab file and the scenarios, by their paths, in reading order.
    var files: [(path: String, content: String)] {
        let lab = (path: "lab.yaml", content: labFile)
        guard isChosen else { return [lab, ("Scenarios/first.yaml", Self.sharedActivation)] }
        let own = Member.allCases.filter(members.contains).compactMap(Self.scenario)
        // Three scenarios at least, so that one shows more than a successful start.
        let scenarios = own + Self.phoneScenarios.dropFirst().prefix(max(0, 3 - own.count))
        return [lab, ("Scenarios/steps/activate.yaml", Self.activation)] + scenarios
    }

    private static func scenario(of member: Member) -> (path: String, content: String)? {
        switch member {
        case .phone: phoneScenarios.first
        case .wallet: ("Scenarios/wallet-signs.yaml", walletScenario)
        case .widget: ("Scenarios/widget-reads.yaml", widgetScenario)
        case .watch: ("Scenarios/watch-out-of-range.yaml", watchScenario)
        }
    }

    /// The topology, without the members that are not in the cast.
    private var labFile: String {
        let apps =
            [Self.mainApp] + (members.contains(.wallet) ? [Self.walletApp] : [])
            + (members.contains(.widget) ? [Self.widgetApp] : [])
        return Self.labHeader + apps.joined(separator: "\n") + (members.contains(.watch) ? "\n" + Self.watch : "")
    }

    // MARK: The parts of a new project's lab file

    static let labHeader = """
        # yaml-language-server: $schema=.lab/lab.schema.json
        # Who takes part. The names of apps, devices and links are the actors of scenarios.
        topologies:
          default:
            devices:
              phone:
                kind: phone
                apps:

        """

    static let mainApp = app("main", "")

    static let walletApp = app("wallet", " # another app of the vendor: it shares the activation with `main`")

    private static func app(_ name: String, _ remark: String) -> String {
        """
                  \(name):\(remark)
                    kind: app
                    bundleIdentifier: com.example.\(name)
                    appGroups: [group.com.example]
                    keychainAccessGroups: [LABTEAM001.com.example.shared]
                    powerAuth:
                      instanceId: com.example.bank
                      sharing:
                        appGroup: group.com.example
                        appIdentifier: com.example.\(name)
                        keychainAccessGroup: LABTEAM001.com.example.shared

        """
    }

    static let widgetApp = """
                  widget: # an app extension: it reads what `main` has stored
                    kind: extension
                    host: main
                    bundleIdentifier: com.example.main.widget
                    appGroups: [group.com.example]
                    keychainAccessGroups: [LABTEAM001.com.example.shared]
                    powerAuth:
                      sdk: extensions
                      instanceId: com.example.bank
                      keychainAccessGroup: LABTEAM001.com.example.shared
                      userDefaultsSuiteName: group.com.example

        """

    static let watch = """
              watch:
                kind: watch
                apps:
                  companion: # the watch app of `main`
                    kind: watchApp
                    host: main
                    bundleIdentifier: com.example.main.watch
                    powerAuth:
                      instanceId: com.example.bank

            links:
              pairing: { phone: phone, watch: watch }

        """

    // MARK: The scenarios of a new project

    /// The scenario of the default cast: everything in one file.
    static let sharedActivation = """
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

    static let activation = """
        # yaml-language-server: $schema=../../.lab/steps.schema.json
        # Steps for `include`: `main` gets an active activation.
        parameters:
          password: { type: secret, default: "1234", meaning: The password of the new activation. }
        outputs:
          code: The activation code and the identifier of the activation.
        steps:
          - server: initActivation
            with: { userId: alice }
            as: code

          - main: createActivation
            with: { activationCode: "${code.activationCode}", name: Alice's phone }

          - main: persistActivation
            with: { password: "${password}" }

          - server: commitActivation
            with: { activationId: "${code.activationId}" }

        """

    /// The first scenario belongs to every cast; small casts also get the others.
    static let phoneScenarios = [
        (path: "Scenarios/wrong-password.yaml", content: wrongPassword),
        (path: "Scenarios/late-answer.yaml", content: lateAnswer),
        (path: "Scenarios/removed-activation.yaml", content: removedActivation),
    ]

    private static let wrongPassword = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A wrong password costs an attempt, and the right one gives it back
        steps:
          - include: steps/activate.yaml

          - main: validatePassword
            with: { password: "0000" }
            fails: { code: networkError, httpStatusCode: 401 }

          - main: fetchActivationStatus
            expect: { state: active, remainingAttempts: 4 }

          - main: validatePassword
            with: { password: "1234" }

          - main: fetchActivationStatus
            expect: { state: active, remainingAttempts: 5 }

        """

    private static let lateAnswer = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A request that the server answers too late ends in a time-out, and the next one succeeds
        steps:
          - include: steps/activate.yaml

          - server: slow
            with: { endpoint: activation/status, by: 30s, times: 1 }

          - parallel:
              - main: fetchActivationStatus
                fails: timedOut
              - - waitFor: { event: server.faulted, peer: server }
                - advance: 21s

          - main: fetchActivationStatus
            expect: { state: active }

        """

    private static let removedActivation = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: An activation that the back office removes is gone with the next status
        steps:
          - include: steps/activate.yaml

          - server: removeActivation
            with: { activationId: "${code.activationId}" }

          - main: fetchActivationStatus
            expect: { state: removed }

        """

    static let walletScenario = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A second app signs with the activation of the first
        steps:
          - include: steps/activate.yaml

          - wallet: requestSignature
            with: { method: POST, uriId: /payment, password: "1234" }
            as: signature

          - server: verifySignature
            with: { header: "${signature.value}", method: POST, uriId: /payment }
            expect: { signatureValid: true, userId: alice }

        """

    static let widgetScenario = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: The extension uses the token that the app has got
        steps:
          - include: steps/activate.yaml

          - main: requestAccessToken
            with: { name: accounts, password: "1234" }

          - widget: activationIdentifier
            expect: "${code.activationId}"

          - widget: generateHeader
            with: { name: accounts }
            as: header

          - server: validateToken
            with: { header: "${header.value}" }
            expect: { tokenValid: true, userId: alice }

        """

    static let watchScenario = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A watch that is out of range learns of the activation when it is back
        steps:
          - include: steps/activate.yaml

          - pairing: down

          - main: sendActivationStatusToWatch
            with: { delivery: guaranteed }
            expect: true

          - companion: hasValidActivation
            expect: false

          - pairing: up

          - companion: hasValidActivation
            eventually: 5s
            expect: true

        """
}
