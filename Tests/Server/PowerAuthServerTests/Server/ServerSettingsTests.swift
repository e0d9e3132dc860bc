// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import LabFile
import Logging
import NIOCore
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// Settings as a lab file or a configuration file gives them, and what they change.
@Suite("The server's settings", .endsInTime)
struct ServerSettingsTests {
    private func read(_ text: String) -> (spec: ServerSpec?, complaints: String) {
        let collector = DiagnosticCollector()
        let spec = ServerSpecReader(collector).read(SourceFile(path: "server.yaml", text: text))
        return (spec, DiagnosticRenderer(secrets: collector.secretRanges).render(collector.diagnostics))
    }

    @Test func `Every setting of a file reaches the server, also as JSON`() throws {
        let yaml = """
            host: localhost
            hostNames: [lab.bank.example]
            insecure: true
            port: 8080
            maxFailedAttempts: 3
            signatureLookAhead: 10
            restrictAccess: true
            vaultWithBiometry: true
            commitRecovery: false
            libraryAuthenticationCode: true
            pushEnvironment: development
            oneActivationPerUser: true
            strictJson: true
            databaseEncryptionKey: AAECAwQFBgcICQoLDA0ODw==
            replayVerification: false
            tls: wrong-host
            applicationName: bank
            applicationDisplayName: The Bank
            applicationEnvironment: test
            correlationHeader: X-Correlation-ID
            customObject: { maintenance: false, level: 3, note: "3" }
            activationValidity: 10m
            requestExpiration: 30s
            requestExpirationExtended: 1h
            tokenValidity: 3h
            tokenForwardValidity: 10m
            temporaryKeyValidity: 1m
            temporaryKeysPerActivation: 4
            temporaryKeysPerApplication: 6
            flagsAtApproval: false
            flagsAtClaim: false
            upgradeOffered: false
            temporaryBlocking: 5m
            offlineComponentLength: 6
            proximityOtpLength: 7
            proximityOtpStep: 15s
            proximityOtpStepCount: 2
            generationAttempts: 5
            recoveryMaxFailedAttempts: 2
            pageSize: 50
            operationTemplates:
              - { templateName: a, dataTemplate: "A1*A${amount}" }
              - templateName: b
                operationType: c
                dataTemplate: A2
                signatureType: [POSSESSION, KNOWLEDGE, BIOMETRY, POSSESSION_KNOWLEDGE, POSSESSION_KNOWLEDGE_BIOMETRY]
                maxFailureCount: 2
                expiration: 1h
                riskFlags: XF
                proximityCheckEnabled: true
            uiTemplates:
              - { placeholder: a, title: A, message: "" }
              - placeholder: a
                language: cs
                title: B
                message: C
                attributes: [{ id: d, type: HEADING, text: e, params: { level: "1" } }]
                resultTexts: { success: f }
                ui: { flipButtons: true }
            limits:
              headerTimeout: 1s
              bodyTimeout: 2s
              idleTimeout: 3s
              answerTimeout: 4s
              connections: 5
              connectionsPerAddress: 6
              waitingRequests: 7
              identityCalls: 8
            callbacks:
              allowedHosts: [localhost]
              keyStores: stores
              numericDates: true
              concurrentCalls: 9
              maxAttempts: 4
              initialBackoff: 1s
              backoffMultiplier: 2.5
              maxBackoff: 10s
              retention: 1d
              connectTimeout: 1s
              responseTimeout: 2s
              failureThreshold: -1
              resetTimeout: 5s
            """
        let spec = try #require(read(yaml).spec)
        var configuration = ServerConfiguration(directory: "unused")
        configuration.apply(spec)
        #expect(configuration.host == "localhost" && configuration.hostNames == ["lab.bank.example"])
        #expect(configuration.isInsecureAllowed)
        #expect(configuration.port == 8080 && configuration.certificate == .wrongHost)
        #expect(configuration.names.name == "bank" && configuration.names.displayName == "The Bank")
        #expect(configuration.names.environment == "test")
        #expect(configuration.correlationHeader == "X-Correlation-ID")
        #expect(
            try configuration.activationProvider.statusObject(nil)
                == ["maintenance": false, "level": 3, "note": "3"])
        let policy = configuration.policy
        #expect(policy.hasLibraryAuthenticationCode && policy.hasOneActivationPerUser && policy.isJSONStrict)
        let first = ServerSettings.OperationTemplate(templateName: "a", dataTemplate: "A1*A${amount}")
        var second = ServerSettings.OperationTemplate(templateName: "b", dataTemplate: "A2")
        #expect(first.operationType == "a" && first.signatureType == [.possessionKnowledge, .possessionBiometry])
        (second.operationType, second.maxFailureCount, second.expiration) = ("c", 2, 3_600)
        (second.riskFlags, second.proximityCheckEnabled) = ("XF", true)
        second.signatureType = [.possession, .knowledge, .biometry, .possessionKnowledge, .possessionKnowledgeBiometry]
        #expect(configuration.operationTemplates == [first, second])
        let english = ServerSettings.UITemplate(placeholder: "a", title: "A", message: "")
        var czech = ServerSettings.UITemplate(placeholder: "a", title: "B", message: "C")
        (czech.language, czech.resultTexts, czech.ui) = ("cs", ["success": "f"], ["flipButtons": true])
        czech.attributes = [["id": "d", "type": "HEADING", "text": "e", "params": ["level": "1"]]]
        #expect(configuration.uiTemplates == [english, czech])
        #expect(policy.maxFailedAttempts == 3 && policy.lookAhead == 10 && policy.pushEnvironment == .development)
        #expect(policy.isBackOfficeRestricted && policy.isVaultOpenedByBiometry && !policy.isReplayVerified)
        #expect(policy.activationValidity == 600_000 && policy.requestWindow == 30_000)
        #expect(policy.extendedRequestWindow == 3_600_000 && policy.tokenValidity == 10_800_000)
        #expect(policy.tokenForwardValidity == 600_000 && policy.temporaryKeyValidity == 60_000)
        #expect(policy.temporaryKeysPerActivation == 4 && policy.generationAttempts == 5)
        #expect(policy.recoveryMaxFailedAttempts == 2 && policy.pageSize == 50)
        #expect(configuration.databaseEncryptionKey != nil)
        #expect(policy.temporaryKeysPerApplication == 6)
        #expect(!policy.isFlagCheckedAtApproval && !policy.isFlagCheckedAtClaim && !policy.isUpgradeOffered)
        #expect(policy.temporaryBlocking == 300_000)
        #expect(policy.offlineComponentLength == 6 && policy.proximity.digits == 7)
        #expect(policy.proximity.stepSeconds == 15 && policy.proximity.previousSteps == 2)
        #expect(!configuration.activationProvider.commits("RECOVERY"))
        let limits = configuration.limits
        #expect(limits.headerTimeout == 1_000 && limits.bodyTimeout == 2_000 && limits.idleTimeout == 3_000)
        #expect(limits.answerTimeout == 4_000 && limits.connections == 5 && limits.connectionsPerAddress == 6)
        #expect(limits.waitingRequests == 7 && limits.identityCalls == 8)
        let callbacks = policy.callbacks
        #expect(callbacks.allowedHosts == ["localhost"] && callbacks.keyStores == "stores")
        #expect(callbacks.concurrentCalls == 9 && callbacks.hasNumericDates)
        #expect(callbacks.maxAttempts == 4)
        #expect(callbacks.initialBackoff == 1_000 && callbacks.backoffMultiplier == 2.5)
        #expect(callbacks.maxBackoff == 10_000 && callbacks.retention == 86_400_000)
        #expect(callbacks.rerunAfter == 13_000 && callbacks.failureThreshold == -1 && callbacks.resetTimeout == 5_000)
        #expect(
            read(#"{"callbacks": {"maxAttempts": 4}, "tokenValidity": "3h"}"#).spec?.settings.tokenValidity
                == 10_800_000)
    }

    @Test func `An empty section leaves the original's defaults`() throws {
        var configuration = ServerConfiguration(directory: "unused")
        configuration.apply(try #require(read("{}").spec))
        let policy = configuration.policy
        #expect(policy.maxFailedAttempts == 5 && policy.lookAhead == 20 && policy.pageSize == 500)
        #expect(!policy.isBackOfficeRestricted && !policy.isVaultOpenedByBiometry && policy.isReplayVerified)
        #expect(policy.callbacks.rerunAfter == 75_000 && policy.callbacks.maxAttempts == 1)
        #expect(!policy.isJSONStrict && !policy.callbacks.hasNumericDates && policy.isUpgradeOffered)
        #expect(policy.temporaryBlocking == nil)
        #expect(configuration.names.name == "powerauth-server")
        #expect(
            configuration.activationProvider.commits("RECOVERY") && !configuration.activationProvider.commits("CUSTOM"))
        #expect(policy.isFlagCheckedAtApproval && policy.isFlagCheckedAtClaim && policy.offlineComponentLength == 8)
        #expect(
            policy.proximity.digits == 8 && policy.proximity.stepSeconds == 30 && policy.proximity.previousSteps == 1)
    }

    @Test(
        arguments: [
            ("maxFailedAttempts: 0", "from 1 to 64"), ("tokenValidity: 2", "a duration"),
            ("tokenValidity: 0s", "from 1ms to 3650d"), ("restrictAccess: yes", "`true` or `false`"),
            ("callbacks: { backoffMultiplier: 0.5 }", "from 1.0 to 100.0"),
            ("callbacks: { maxAttempt: 2 }", "maxAttempts"), ("customObject: 3", "customObject"),
            ("host: 'http://bank'", "without port"), ("limits: { connections: 0 }", "from 1 to 100000"),
            ("limits: { headerTimeout: 0s }", "from 1ms"), ("correlationHeader: 'a: b'", "name of an HTTP header"),
            ("tokenvalidity: 2h", "tokenValidity"),
            ("tls: wronghost", "wrong-host"), ("offlineComponentLength: 3", "from 4 to 8"),
            ("proximityOtpLength: 5", "from 6 to 9"),
            ("operationTemplates: [{ dataTemplate: A2 }]", "templateName"),
            ("operationTemplates: [{ templateName: a, dataTemplate: ' ' }]", "must not be blank"),
            (
                "operationTemplates: [{ templateName: a, dataTemplate: A, signatureType: [2FA] }]",
                "POSSESSION_KNOWLEDGE"
            ),
            ("operationTemplates: [{ templateName: a, dataTemplate: A, signatureType: [] }]", "empty"),
            (
                "operationTemplates: [{ templateName: a, dataTemplate: A, signatureType: [BIOMETRY, BIOMETRY] }]",
                "BIOMETRY"
            ),
            ("operationTemplates: [{ templateName: a, dataTemplate: A, expiration: 100ms }]", "from 1s to 365d"),
            ("operationTemplates: [{ templateName: a, dataTemplate: A, maxFailureCount: 0 }]", "from 1 to 1000"),
            (
                "operationTemplates: [{ templateName: a, dataTemplate: A }, { templateName: a, dataTemplate: B }]",
                "operation template"
            ),
            ("uiTemplates: [{ placeholder: a, title: A }]", "message"),
            ("uiTemplates: [{ placeholder: a, title: A, message: B, language: too-long-a-name }]", "8 characters"),
            ("uiTemplates: [{ placeholder: a, title: A, message: B, attributes: {} }]", "a list"),
            ("uiTemplates: [{ placeholder: a, title: A, message: B, attributes: [{ id: b, text: c }] }]", "type"),
            (
                "uiTemplates: [{ placeholder: a, title: A, message: B }, { placeholder: a, title: A, message: B }]",
                "UI template"
            ),
        ])
    func `A bad value is refused at its place`(text: String, hint: String) {
        let (spec, complaints) = read(text)
        #expect(spec == nil)
        #expect(complaints.contains("server.yaml:1:") && complaints.contains(hint), "\(complaints)")
    }

    @Test func `The templates of the settings replace what is stored, at each start`() async throws {
        var text = ServerSettings.UITemplate(placeholder: "login", title: "Come in", message: "Is it you?")
        var template = ServerSettings.OperationTemplate(templateName: "login", dataTemplate: "A7")
        template.signatureType = ServerSettings.Factors.allCases
        func server(in directory: TemporaryDirectory? = nil) throws -> ServerFixture {
            try ServerFixture(directory: directory) { configuration in
                configuration.hasDefaultTemplates = true
                configuration.operationTemplates = [template]
                configuration.uiTemplates = [text]
            }
        }
        func stored(_ fixture: ServerFixture) throws -> (operations: [OperationTemplate], texts: [UITemplate]) {
            try fixture.server.services.context.read {
                (try OperationTemplateStore.all($0), try UITemplateStore.list($0, types: ["login"]))
            }
        }
        let fixture = try server()
        let first = try stored(fixture)
        #expect(
            first.operations.map(\.name).sorted()
                == ["login", "login_1fa", "login_pac", "login_preApproval", "payment"])
        let login = try #require(first.operations.first { $0.name == "login" })
        #expect(login.dataTemplate == "A7" && Set(login.signatureTypes) == Set(SignatureType.allCases))
        #expect(first.texts.map(\.title) == ["Come in"])
        (template.dataTemplate, text.title) = ("A8", "Welcome")
        let second = try stored(try server(in: fixture.directory))
        #expect(second.operations.count == 5 && second.operations.contains { $0.dataTemplate == "A8" })
        #expect(second.texts.map(\.title) == ["Welcome"])
    }

    @Test func `A restricted server makes its first integration and says how to authenticate`() async throws {
        let fixture = try ServerFixture { $0.policy.isBackOfficeRestricted = true }
        let integrations = try IntegrationService(context: fixture.server.services.context).list()
        #expect(integrations.map(\.name) == ["lab"])
        let response = try await fixture.client().send("/rest/v3/status")
        #expect(response.status == 401)
        #expect(response.challenge == "Basic realm=\"PowerAuth\"")
        let again = try ServerFixture(directory: fixture.directory) { $0.policy.isBackOfficeRestricted = true }
        #expect(
            try IntegrationService(context: again.server.services.context).list().map(\.id) == integrations.map(\.id))
    }

    @Test func `Older tools see an older server with the same data`() async throws {
        let fixture = try ServerFixture {
            $0.names.name = "bank"
            $0.names.environment = "test"
        }
        try await fixture.run { client in
            let (id, _) = try await client.initiate()
            for (mountPoint, version) in [
                ("", "1.9.0"), ("/powerauth-java-server", "1.9.0"), ("/compat15/powerauth-java-server", "1.5.0"),
            ] {
                let status = try await client.send(mountPoint + "/rest/v3/status")
                #expect(status.text("version") == version)
                #expect(status.text("applicationName") == "bank")
                #expect(status.text("applicationEnvironment") == "test")
                let detail = try await client.send(
                    mountPoint + "/rest/v3/activation/status",
                    body: JSONValue.object(["requestObject": ["activationId": .string(id)]]).encoded())
                #expect(detail.text("activationStatus") == "CREATED")
            }
        }
    }

    @Test func `The application's object travels with the status`() async throws {
        let fixture = try ServerFixture {
            $0.activationProvider.statusObject = { subject in
                ["user": subject.map { .string($0.userId) } ?? .null]
            }
        }
        try await fixture.run { client in
            let device = try await client.activeDevice()
            func object(_ id: String) async throws -> Answer {
                try await client.send(
                    "/pa/v3/activation/status",
                    body: JSONValue.object(["requestObject": ["activationId": .string(id)]]).encoded())
            }
            #expect(try await object(device.activationId).text("customObject.user") == "alice")
            #expect(try await object("unknown").isNull("customObject.user"))
        }
        try await ServerFixture.run { (client: ServerClient) async throws in
            let answer = try await client.send(
                "/pa/v3/activation/status", body: Data(#"{"requestObject":{"activationId":"x"}}"#.utf8))
            #expect(answer.value("customObject") == nil)
        }
    }

    @Test func `The request log has the caller's correlation identifier, if it is one`() async throws {
        let lines = Mutex<[Data]>([])
        let directory = try TemporaryDirectory()
        var configuration = ServerConfiguration(directory: directory.path + "/server")
        configuration.correlationHeader = "X-Correlation-ID"
        let log = RequestLog(clock: TestClock()) { line in lines.withLock { $0.append(line) } }
        let server = try LabServer(configuration: configuration, clock: TestClock(), journal: log)
        let client = ServerClient(transport: try RouterTransport(server), clock: TestClock())
        for value in ["0a1b-2c3d", "short", "with \"quotes\" and spaces"] {
            _ = try await client.send("/rest/v3/status", headers: ["X-Correlation-ID": value])
        }
        let logged = try lines.withLock { $0 }.map { try JSONValue.parse($0.dropLast())["correlation"]?.stringValue }
        #expect(logged == ["0a1b-2c3d", nil, nil])
    }
}
