// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabChecks
import LabCore
import LabFile
import LabPoints
import LabSystem
import ScenarioEngine
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioLanguage

@Suite("A shrunk plan is written as a scenario", .endsInTime)
struct StressScenarioTests {
    private typealias Call = StressPlan.Call

    private static func call(
        _ number: Int, _ action: StressAction, _ fault: StressPlan.Fault? = nil
    ) -> Call {
        Call(number: number, action: action, token: action.hasToken ? "cards" : nil, fault: fault)
    }

    /// A part in which two apps make calls after their first ones.
    private static func part(_ first: [Call], _ second: [Call]) -> StressPart {
        let lists = [("app1", first), ("app2", second)]
        return StressPart(
            apps: lists.map(\.0),
            calls: lists.flatMap { app, calls in
                ([call(1, .activate)] + calls).map { StressPart.AppCall(app: app, call: $0) }
            })
    }

    private static func scenario(
        _ part: StressPart, quirks: [String] = [], rule: String = "fresh state"
    ) throws -> StressScenario {
        let configuration = try StressConfiguration(processes: 2, duration: .seconds(1), quirks: quirks)
        return StressScenario(
            part: part, topology: configuration.smallestTopology(for: part), seed: 7, rule: rule, sentence: "It holds.")
    }

    /// The scenario as `lab run` reads it.
    private static func read(_ scenario: StressScenario) throws -> Scenario {
        let outcome = try ScenarioFolder(try scenario.text()).read()
        #expect(outcome.diagnostics.map(\.kind.sentence) == [])
        #expect(outcome.warnings.map(\.kind.sentence) == [])
        return try #require(outcome.scenarios.first)
    }

    private static func devices(quirks: String, of apps: String...) -> String {
        apps.map { app in
            """
                      \(app):
                        bundleIdentifier: com.example.\(app)
                        appGroups: [group.com.example.lab]
                        keychainAccessGroups: [LABTEAM001.com.example.shared]
                        quirks: [\(quirks)]
                        powerAuth:
                          instanceId: com.example.bank
                          sharing:
                            appGroup: group.com.example.lab
                            appIdentifier: com.example.\(app)
                            keychainAccessGroup: LABTEAM001.com.example.shared

            """
        }.joined()
    }

    private static let either = "either: [{ name: done }, { name: not done, fails: any }]"

    @Test func `Devices, activation, one branch for each app and the rule are written`() throws {
        let part = Self.part(
            [Self.call(4, .changePassword, .killAt(.counterBumped, pass: 2))], [Self.call(2, .knowledgeSignature)])
        let expected =
            """
            # `lab stress sharing` with seed 7 has broken the rule `fresh state`. It holds.
            # These are the calls that were left when the plan was shrunk. `lab run` plays them at the same time,
            # `lab explore` in every order of the fault points.
            #
            # What the scenario does not repeat:
            #   A changed password is used by the app that has changed it; the others use the first one.
            name: "What is left of a stress run with seed 7: fresh state"

            lab:
              topology:
                devices:
                  phone:
                    kind: phone
                    suspension: lenient
                    biometry: touchID
                    apps:

            """ + Self.devices(quirks: "sharing.D7", of: "app1", "app2") + """

                steps:
                  - server: initActivation
                    as: code
                  - app1: createActivation
                    with: { activationCode: "${code.activationCode}" }
                  - app1: persistActivation
                    with: { password: "1234" }
                  - server: commitActivation
                    with: { activationId: "${code.activationId}" }
                  - parallel:
                      - - faults: arm
                          with: { action: kill, pass: 2, peer: app1, point: counter.bumped }
                        - app1: activationIdentifier
                          \(Self.either)
                        - app1: hasExternalEncryptionKey
                          \(Self.either)
                        - app1: changePassword
                          with: { from: "1234", to: changed-4 }
                          \(Self.either)
                        - app1: activationIdentifier
                          \(Self.either)
                        - faults: disarm
                          with: { peer: app1 }
                        - app1: launch
                          \(Self.either)
                      - - app2: validatePassword
                          with: { password: "1234" }
                          \(Self.either)
                  - trace: brokenRules
                    expect: []

                """
        let scenario = try Self.scenario(part, quirks: ["sharing.D7"])
        let text = try scenario.text()
        #expect(text == expected, "\(text)")
        let read = try Self.read(scenario)
        #expect(read.topology.devices == scenario.topology.devices && read.topology.links == scenario.topology.links)
        #expect(
            read.steps.map(\.title) == [
                "server: initActivation", "app1: createActivation", "app1: persistActivation",
                "server: commitActivation", "parallel", "trace: brokenRules",
            ])
        // `lab explore` can schedule it.
        #expect(try ExploredScenario(read).block.path == "5")
    }

    /// The calls with each kind of fault that an action may have.
    private static func calls(_ action: StressAction) -> [Call] {
        var faults: [StressPlan.Fault?] = [nil]
        if !action.faultPoints.isEmpty {
            faults += [
                .killAfter(.milliseconds(1)), .suspendAfter(.milliseconds(1), for: .milliseconds(2)),
                .holdAt(.httpResponseReceived, for: .milliseconds(87)),
            ]
        }
        faults += action.faultPoints.map { .killAt($0, pass: 3) }
        return faults.enumerated().map { call($0.offset + 2, action, $0.element) }
    }

    @Test(arguments: StressAction.allCases)
    func `Each call with each of its faults is read as steps, or named with the reason`(action: StressAction) throws {
        let calls = Self.calls(action)
        let scenario = try Self.scenario(Self.part(calls, [Self.call(2, .validActivation)]))
        let read = try Self.read(scenario)
        #expect(read.topology.devices == scenario.topology.devices && read.topology.links == scenario.topology.links)
        let explored = try ExploredScenario(read)
        let branches = try #require(explored.block.branches)
        #expect(branches.count == 2)
        let text = try scenario.text()
        let kills = calls.filter { if case .killAt = $0.fault { true } else { false } }
        for call in kills where action != .activateOld {
            guard case .killAt(let point, _) = call.fault else { continue }
            #expect(text.contains("with: { action: kill, pass: 3, peer: app1, point: \(point) }"), "\(text)")
        }
        let titles = branches[0].steps.map(\.title)
        #expect(titles.count { $0 == "app1: launch" } == (action == .activateOld ? 0 : kills.count))
        #expect(titles.count { $0 == "faults: arm" } == titles.count { $0 == "faults: disarm" })
        for call in calls {
            let isNamed: Bool
            switch call.fault {
            case .killAfter, .suspendAfter: isNamed = true
            case nil, .killAt, .holdAt: isNamed = action == .activateOld
            }
            #expect(text.contains("\n#   app1 \(call): ") == isNamed, "\(text)")
        }
    }

    @Test func `The driver's questions are repeated only where a fault counts passes`() throws {
        func titles(_ call: Call) throws -> [String] {
            let read = try Self.read(try Self.scenario(Self.part([call], [Self.call(2, .status)])))
            return try #require(try ExploredScenario(read).block.branches?.first).steps.map(\.title)
        }
        #expect(try titles(Self.call(2, .knowledgeSignature)) == ["app1: validatePassword"])
        #expect(
            try titles(Self.call(2, .addBiometry, .holdAt(.httpResponseReceived, for: .milliseconds(50)))) == [
                "faults: arm", "app1: addBiometryFactor", "faults: disarm",
            ])
        #expect(
            try titles(Self.call(2, .requestToken, .killAt(.statusLockTaken, pass: 2))) == [
                "faults: arm", "app1: activationIdentifier", "app1: requestAccessToken", "app1: activationIdentifier",
                "faults: disarm", "app1: launch",
            ])
        #expect(
            try titles(Self.call(2, .replace, .killAt(.stateSave, pass: 1))) == [
                "faults: arm", "app1: removeActivationLocal", "app1: hasPendingActivation",
                "app1: hasValidActivation", "server: initActivation", "app1: createActivation",
                "app1: hasExternalEncryptionKey", "app1: persistActivation", "server: commitActivation",
                "faults: disarm", "app1: launch",
            ])
    }

    @Test(arguments: [
        StressAction.requestToken, .tokenHeader, .removeToken, .changePassword, .externalKey,
    ])
    func `A kill at the driver's question after a call is repeated`(action: StressAction) throws {
        func titles(_ call: Call) throws -> [String] {
            let read = try Self.read(try Self.scenario(Self.part([call], [Self.call(2, .status)])))
            return try #require(try ExploredScenario(read).block.branches?.first).steps.map(\.title)
        }
        let end = ["app1: activationIdentifier", "faults: disarm", "app1: launch"]
        #expect(try titles(Self.call(2, action, .killAt(.statusLockTaken, pass: 9))).suffix(3) == end[...])
        #expect(try !titles(Self.call(2, action)).contains("app1: activationIdentifier"))
    }

    @Test func `A password and a key that an app has changed are those of its later calls`() throws {
        let calls: [Call] = [
            Self.call(2, .changePassword), Self.call(3, .externalKey), Self.call(4, .externalKey),
            Self.call(5, .knowledgeSignature), Self.call(6, .replace), Self.call(7, .removeActivation),
        ]
        let text = try Self.scenario(Self.part(calls, [Self.call(2, .status)])).text()
        #expect(text.contains("changePassword\n          with: { from: \"1234\", to: changed-2 }"), "\(text)")
        #expect(text.contains("validatePassword\n          with: { password: changed-2 }"), "\(text)")
        #expect(text.contains("removeActivation\n          with: { password: \"1234\" }"), "\(text)")
        let added = try #require(text.range(of: "addExternalEncryptionKey"))
        let removed = try #require(text.range(of: "removeExternalEncryptionKey"))
        #expect(added.lowerBound < removed.lowerBound)
    }

    @Test(arguments: [nil, StressAction.removeLocally, .removeActivation])
    func `An activation that is refused changes no password, and one after a removal has the first`(
        removal: StressAction?
    ) throws {
        let calls =
            [Self.call(2, .changePassword)] + (removal.map { [Self.call(3, $0)] } ?? []) + [
                Self.call(4, .activate), Self.call(5, .knowledgeSignature),
            ]
        let text = try Self.scenario(Self.part(calls, [Self.call(2, .validActivation)])).text()
        let password = removal == nil ? "changed-2" : "\"1234\""
        #expect(text.contains("validatePassword\n          with: { password: \(password) }"), "\(text)")
    }

    @Test func `Apps that only make the activation do so at the same time`() throws {
        let read = try Self.read(try Self.scenario(Self.part([], []), rule: "pending operations"))
        #expect(read.steps.map(\.title) == ["parallel", "trace: brokenRules"])
        let branches = try #require(read.steps.first?.branches)
        #expect(
            branches.map { $0.steps.map(\.title) }
                == ["app1", "app2"].map { app in
                    [
                        "server: initActivation", "\(app): createActivation", "\(app): persistActivation",
                        "server: commitActivation",
                    ]
                })
    }

    @Test func `An app without a step has its activation as branch, and a watch is there for messages`() throws {
        let calls = [Self.call(3, .tellWatch)]
        let read = try Self.read(try Self.scenario(Self.part(calls, calls)))
        let branches = try #require(read.steps.first { $0.branches != nil }?.branches)
        #expect(branches[0].steps.map(\.title) == ["app1: sendActivationStatusToWatch", "app1: transferUserInfo"])
        #expect(branches[1].steps.map(\.title).contains("app2: createActivation"))
        #expect(read.topology.links.map(\.name) == ["pairing"])
    }

    /// The rules, each with the step that judges it.
    private static let rules: [(String, String?)] =
        SharingCheckers.inScenarios.map { ($0.name, "trace: brokenRules") } + [
            ("tokens", "same: app1: hasLocalToken, app2: hasLocalToken"), ("deaths", nil), ("clean end", nil),
            ("failures", nil), ("signatures", nil), ("transfers", nil),
        ]

    @Test(arguments: rules)
    func `A rule is judged by a step, by every run, or the file says that it is not judged`(
        rule: String, step: String?
    ) throws {
        let part = Self.part([Self.call(2, .requestToken)], [Self.call(2, .removeToken)])
        let scenario = try Self.scenario(part, rule: rule)
        #expect(try Self.read(scenario).steps.last?.title == step ?? "parallel")
        let isJudged = step != nil || ["deaths", "clean end"].contains(rule)
        #expect(try scenario.text().contains("The rule `\(rule)` is not judged in scenarios") != isJudged)
    }

    // MARK: The file

    @Test func `A scenario gets the next number, and a text that cannot be run leaves no file`() throws {
        let workspace = try SuiteWorkspace([:])
        func place() throws -> ExploredPlace {
            try ExploredPlace(name: "stress-7", below: workspace.directory.path, environment: [:])
        }
        let (first, second) = (try place(), try place())
        #expect(first.directory == "\(workspace.directory.path)/.lab/explored/stress-7-1")
        #expect(second.directory == "\(workspace.directory.path)/.lab/explored/stress-7-2")
        let text = try Self.scenario(Self.part([], [Self.call(2, .status)])).text()
        #expect(try first.write(text).name == "What is left of a stress run with seed 7: fresh state")
        #expect(throws: LabFailure.self) { try second.write(text.replacing("createActivation", with: "create")) }
        #expect(!Files.exists("\(second.directory).yaml"))
        for place in [first, second] { place.removeIfEmpty() }
        #expect(try Files.list("\(workspace.directory.path)/.lab/explored") == ["stress-7-1.yaml"])
        #expect(try place().directory == second.directory)
    }
}
