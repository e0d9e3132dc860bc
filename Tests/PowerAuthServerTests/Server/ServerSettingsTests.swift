import Foundation
import HTTPTypes
import HummingbirdTesting
import LabFile
import LabKit
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

    @Test("Every setting of a file reaches the server, also as JSON")
    func everySettingOfAFileReaches() throws {
        let yaml = """
            port: 8080
            maxFailedAttempts: 3
            signatureLookAhead: 10
            restrictAccess: true
            vaultWithBiometry: true
            libraryAuthenticationCode: true
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
            generationAttempts: 5
            recoveryMaxFailedAttempts: 2
            pageSize: 50
            callbacks:
              allowedHosts: [localhost]
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
        #expect(configuration.port == 8080 && configuration.certificate == .wrongHost)
        #expect(configuration.names.name == "bank" && configuration.names.displayName == "The Bank")
        #expect(configuration.names.environment == "test")
        #expect(configuration.correlationHeader == "X-Correlation-ID")
        #expect(
            try configuration.activationProvider.statusObject(nil)
                == ["maintenance": false, "level": 3, "note": "3"])
        let policy = configuration.policy
        #expect(policy.hasLibraryAuthenticationCode)
        #expect(policy.maxFailedAttempts == 3 && policy.lookAhead == 10)
        #expect(policy.isBackOfficeRestricted && policy.isVaultOpenedByBiometry && !policy.isReplayVerified)
        #expect(policy.activationValidity == 600_000 && policy.requestWindow == 30_000)
        #expect(policy.extendedRequestWindow == 3_600_000 && policy.tokenValidity == 10_800_000)
        #expect(policy.tokenForwardValidity == 600_000 && policy.temporaryKeyValidity == 60_000)
        #expect(policy.temporaryKeysPerActivation == 4 && policy.generationAttempts == 5)
        #expect(policy.recoveryMaxFailedAttempts == 2 && policy.pageSize == 50)
        let callbacks = policy.callbacks
        #expect(callbacks.allowedHosts == ["localhost"] && callbacks.maxAttempts == 4)
        #expect(callbacks.initialBackoff == 1_000 && callbacks.backoffMultiplier == 2.5)
        #expect(callbacks.maxBackoff == 10_000 && callbacks.retention == 86_400_000)
        #expect(callbacks.rerunAfter == 13_000 && callbacks.failureThreshold == -1 && callbacks.resetTimeout == 5_000)
        #expect(
            read(#"{"callbacks": {"maxAttempts": 4}, "tokenValidity": "3h"}"#).spec?.settings.tokenValidity
                == 10_800_000)
    }

    @Test("An empty section leaves the original's defaults")
    func anEmptySectionLeavesTheOriginal() throws {
        var configuration = ServerConfiguration(directory: "unused")
        configuration.apply(try #require(read("{}").spec))
        let policy = configuration.policy
        #expect(policy.maxFailedAttempts == 5 && policy.lookAhead == 20 && policy.pageSize == 500)
        #expect(!policy.isBackOfficeRestricted && !policy.isVaultOpenedByBiometry && policy.isReplayVerified)
        #expect(policy.callbacks.rerunAfter == 75_000 && policy.callbacks.maxAttempts == 1)
        #expect(configuration.names.name == "powerauth-server")
    }

    @Test(
        "A bad value is refused at its place",
        arguments: [
            ("maxFailedAttempts: 0", "from 1 to 64"), ("tokenValidity: 2", "a duration"),
            ("tokenValidity: 0s", "from 1ms to 3650d"), ("restrictAccess: yes", "`true` or `false`"),
            ("callbacks: { backoffMultiplier: 0.5 }", "from 1.0 to 100.0"),
            ("callbacks: { maxAttempt: 2 }", "maxAttempts"), ("customObject: 3", "customObject"),
            ("correlationHeader: 'a: b'", "name of an HTTP header"), ("tokenvalidity: 2h", "tokenValidity"),
            ("tls: wronghost", "wrong-host"),
        ])
    func aBadValueIsRefusedAtItsPlace(text: String, hint: String) {
        let (spec, complaints) = read(text)
        #expect(spec == nil)
        #expect(complaints.contains("server.yaml:1:") && complaints.contains(hint), "\(complaints)")
    }

    @Test("A restricted server makes its first integration and says how to authenticate")
    func aRestrictedServerMakesItsFirst() async throws {
        let fixture = try ServerFixture { $0.policy.isBackOfficeRestricted = true }
        let integrations = try IntegrationService(context: fixture.server.services.context).list()
        #expect(integrations.map(\.name) == ["lab"])
        try await fixture.server.httpApplication(logger: Logger(label: "tests")).test(.router) { client in
            try await client.execute(uri: "/rest/v3/status", method: .post) { response in
                #expect(response.status == .unauthorized)
                #expect(response.headers[.wwwAuthenticate] == "Basic realm=\"PowerAuth\"")
            }
        }
        let again = try ServerFixture(directory: fixture.directory) { $0.policy.isBackOfficeRestricted = true }
        #expect(
            try IntegrationService(context: again.server.services.context).list().map(\.id) == integrations.map(\.id))
    }

    @Test("Older tools see an older server with the same data")
    func olderToolsSeeAnOlderServer() async throws {
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

    @Test("The application's object travels with the status")
    func theApplicationSObjectTravels() async throws {
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

    @Test("The request log has the caller's correlation identifier, if it is one")
    func theRequestLogHasTheCaller() async throws {
        let lines = Mutex<[Data]>([])
        let directory = try TemporaryDirectory()
        var configuration = ServerConfiguration(directory: directory.path + "/server")
        configuration.correlationHeader = "X-Correlation-ID"
        let log = RequestLog(clock: TestClock()) { line in lines.withLock { $0.append(line) } }
        let server = try LabServer(configuration: configuration, clock: TestClock(), journal: log)
        try await server.httpApplication(logger: Logger(label: "tests")).test(.router) { client in
            let name = try #require(HTTPField.Name("X-Correlation-ID"))
            for value in ["0a1b-2c3d", "short", "with \"quotes\" and spaces"] {
                try await client.execute(uri: "/rest/v3/status", method: .post, headers: [name: value]) { _ in }
            }
        }
        let logged = try lines.withLock { $0 }.map { try JSONValue.parse($0.dropLast())["correlation"]?.stringValue }
        #expect(logged == ["0a1b-2c3d", nil, nil])
    }
}
