// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Failures of the server", .endsInTime)
struct FailureTests {
    @Test(
        arguments: [
            (ErrorResponse.authentication, 401, "ERR_AUTHENTICATION", "POWER_AUTH_SIGNATURE_INVALID"),
            (.activation, 400, "ERR_ACTIVATION", "POWER_AUTH_ACTIVATION_INVALID"),
            (.encryption, 400, "ERR_ENCRYPTION", "POWER_AUTH_ENCRYPTION_FAILED"),
            (.vault, 400, "ERR_SECURE_VAULT", "POWER_AUTH_SECURE_VAULT_INVALID"),
            (.temporaryKey, 400, "ERR_TEMPORARY_KEY", "POWER_AUTH_TEMPORARY_KEY_FAILURE"),
            (.upgrade, 400, "ERR_UPGRADE", "POWER_AUTH_UPGRADE_FAILED"),
            (.userInfo, 400, "ERR_USER_INFO", "POWER_AUTH_USER_INFO_ERROR"),
            (.recovery(expectedPukIndex: 2), 400, "INVALID_RECOVERY_CODE", "POWER_AUTH_RECOVERY_INVALID"),
            (.notFound, 404, "ERROR_NOT_FOUND", "Resource not found."),
            (.methodNotAllowed, 405, "ERROR_GENERIC", "This resource does not answer this HTTP method."),
            (.bodyTooLarge, 413, "ERROR_GENERIC", "The body is larger than 1048576 bytes."),
            (.unsupportedMediaType(.json), 415, "ERROR_GENERIC", "The Content-Type must be application/json."),
            (.overloaded, 503, "ERROR_GENERIC", "Too many requests wait for their answers. Try again later."),
            (.unexpected, 500, "ERROR_GENERIC", "Unknown error occurred while processing request."),
        ])
    func `What a device sees`(failure: ErrorResponse, status: Int, code: String, message: String) {
        let answer = failure.response(on: .device)
        let seen = Answer(status: answer.status, body: answer.body)
        #expect(seen.status == status)
        #expect(seen.envelopeStatus == "ERROR")
        #expect(seen.code == code)
        #expect(seen.text("message") == message)
        #expect(seen.value("localizedMessage") == nil)
    }

    /// An error as a surface shows it, beside what `whatADeviceSees` has.
    struct Row: Sendable {
        let failure: ErrorResponse
        let surface: APISurface
        let status: Int
        let code: String
        let message: String
        var challenge: String?
        var pukIndex: Int?
        var retryAfter: Int?
    }

    private static let basic = "Basic realm=\"PowerAuth\""
    private static let puk = ServiceErrorCode.invalidRecoveryCode.message
    private static let unauthenticated = "Authentication failed"

    static let rows: [Row] = [
        Row(
            failure: .authentication, surface: .backOffice, status: 401, code: "ERR_AUTHENTICATION",
            message: unauthenticated, challenge: basic),
        Row(
            failure: .authentication, surface: .lab, status: 401, code: "ERR_AUTHENTICATION", message: unauthenticated,
            challenge: basic),
        Row(
            failure: .authentication, surface: .device, status: 401, code: "ERR_AUTHENTICATION",
            message: "POWER_AUTH_SIGNATURE_INVALID"),
        Row(
            failure: .labToken, surface: .lab, status: 401, code: "ERR_AUTHENTICATION",
            message: "The resources of /lab require the header in the file lab-token of the server's directory.",
            challenge: "X-Lab-Token"),
        Row(
            failure: .misdirected, surface: .backOffice, status: 421, code: "ERR0000",
            message: "The Host must be localhost, an address of this server, or a name in its setting hostNames."),
        Row(
            failure: .foreignOrigin, surface: .lab, status: 403, code: "ERROR_GENERIC",
            message: "Web pages of another origin may not call this resource."),
        Row(
            failure: .ambiguousHost, surface: .device, status: 400, code: "ERROR_GENERIC",
            message: "A request names its host once, in Host; an absolute target names the same."),
        Row(
            failure: .overloaded, surface: .backOffice, status: 503, code: "ERR0000",
            message: "Too many requests wait for their answers. Try again later.", retryAfter: 1),
        Row(
            failure: .malformedRequest("why"), surface: .backOffice, status: 400, code: "ERROR_HTTP_REQUEST",
            message: "why", pukIndex: 0),
        Row(failure: .malformedRequest("why"), surface: .lab, status: 400, code: "ERROR_HTTP_REQUEST", message: "why"),
        Row(failure: .invalid("why"), surface: .backOffice, status: 400, code: "ERR0024", message: "why"),
        Row(failure: .telemetry("why"), surface: .backOffice, status: 400, code: "ERROR_TELEMETRY", message: "why"),
        Row(
            failure: .recovery(expectedPukIndex: 2), surface: .backOffice, status: 400, code: "ERR_RECOVERY",
            message: puk, pukIndex: 2),
        Row(
            failure: .recovery(expectedPukIndex: 3), surface: .device, status: 400, code: "INVALID_RECOVERY_CODE",
            message: "POWER_AUTH_RECOVERY_INVALID", pukIndex: 3),
        Row(
            failure: .activationCode, surface: .device, status: 400, code: "ACTIVATION_CODE_FAILED",
            message: "Unable to make an activation code."),
        Row(
            failure: .applicationConfiguration, surface: .device, status: 400, code: "APPLICATION_CONFIGURATION_ERROR",
            message: "The application has no such configuration."),
        Row(
            failure: .unexpected, surface: .backOffice, status: 500, code: "ERR0000",
            message: "Unknown error occurred."),
        Row(
            failure: .mobileToken(.brokenTemplate), surface: .mobileToken, status: 500, code: "ERR_CONFIG",
            message: "The UI template of the operation is not valid JSON."),
    ]

    @Test(arguments: rows) func `Each surface shows an error in its own words, with what belongs to it`(row: Row) {
        let answer = row.failure.response(on: row.surface)
        let seen = Answer(status: answer.status, body: answer.body)
        #expect(seen.status == row.status && seen.envelopeStatus == "ERROR")
        #expect(seen.code == row.code && seen.text("message") == row.message)
        #expect(seen.text("localizedMessage") == (row.surface == .backOffice ? row.message : nil))
        #expect(seen.number("currentRecoveryPukIndex") == row.pukIndex)
        #expect(answer.challenge == row.challenge && answer.retryAfter == row.retryAfter)
    }

    @Test func `An error has a form on each surface`() {
        func response(_ error: any Error, _ surface: APISurface) -> ErrorResponse {
            ErrorResponse(error, face: surface, fallback: .vault)
        }
        let plain = ServiceError(.invalidRequest, "cause")
        let said = ServiceError.invalid("why")
        let counted = ServiceError(.invalidRecoveryCode, "cause", expectedPukIndex: 2)
        let refusal = DeviceAuthentication.Refusal(cause: "cause")
        let unreadable = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "broken"))
        #expect(response(plain, .backOffice) == .service(.invalidRequest) && response(plain, .device) == .vault)
        #expect(response(plain, .lab) == .malformedRequest("cause"))
        #expect(response(plain, .mobileToken) == .mobileToken(MobileTokenFailure(plain)))
        #expect(response(said, .backOffice) == .invalid("why") && response(said, .device) == .vault)
        #expect(response(counted, .backOffice) == .recovery(expectedPukIndex: 2))
        #expect(response(counted, .device) == .recovery(expectedPukIndex: 2))
        #expect(response(counted, .lab) == .malformedRequest("cause"))
        #expect(response(refusal, .mobileToken) == .vault && response(refusal, .device) == .authentication)
        #expect(response(unreadable, .device) == .vault && response(unreadable, .mobileToken) == .unexpected)
        for surface in [APISurface.backOffice, .lab] {
            #expect(response(unreadable, surface) == .malformedRequest("the body is not readable: broken"))
        }
        for surface in [APISurface.device, .mobileToken, .backOffice, .lab] {
            #expect(response(ErrorResponse.upgrade, surface) == .upgrade)
            #expect(response(MobileTokenFailure.inboxFailed, surface) == .mobileToken(.inboxFailed))
        }
    }

    @Test(arguments: ServiceErrorCode.allCases) func `Error responses of the back office`(code: ServiceErrorCode) {
        let failure = ErrorResponse(ServiceError(code, "secret cause"), face: .backOffice, fallback: .unexpected)
        let answer = failure.response(on: .backOffice)
        let seen = Answer(status: answer.status, body: answer.body)
        #expect(seen.status == 400)
        #expect(seen.code == code.rawValue)
        #expect(seen.text("message") == code.message)
        #expect(seen.text("localizedMessage") == code.message)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("secret cause"))
    }

    @Test func `Codes are numbered without gaps`() {
        let numbers = ServiceErrorCode.allCases.map(\.rawValue)
        #expect(numbers == (0...47).map { "ERR00" + ($0 < 10 ? "0\($0)" : "\($0)") })
    }

    @Test func `Errors of the domain never reach a device by name`() {
        let error = ServiceError(.activationNotFound, "no activation x")
        #expect(ErrorResponse(error, face: .device, fallback: .activation) == .activation)
        #expect(ErrorResponse(ProtocolError.macMismatch, face: .device, fallback: .temporaryKey) == .temporaryKey)
        let refusal = DeviceAuthentication.Refusal(cause: "wrong")
        #expect(ErrorResponse(refusal, face: .device, fallback: .activation) == .authentication)
        #expect(ErrorResponse(CocoaError(.fileNoSuchFile), face: .device, fallback: .activation) == .unexpected)
        #expect(ErrorResponse(CocoaError(.fileNoSuchFile), face: .backOffice, fallback: .unexpected) == .unexpected)
    }

    @Test func `Unknown paths and wrong methods have an envelope`() async throws {
        try await ServerFixture.run { client in
            let unknown = try await client.send("/pa/v3/nothing")
            #expect(unknown.status == 404 && unknown.code == "ERROR_NOT_FOUND")
            let method = try await client.send("/rest/v3/activation/init", method: .get)
            #expect(method.status == 405 && method.code == "ERR0000")
            let device = try await client.send("/pa/v3/activation/status", method: .put)
            #expect(device.status == 405 && device.code == "ERROR_GENERIC")
        }
    }

    @Test func `A body that is not JSON is refused where JSON is read`() async throws {
        try await ServerFixture.run { client in
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            let refused = try await client.send("/rest/v3/application/list", headers: form)
            #expect(refused.status == 415 && refused.code == "ERR0000")
            let utf8 = ["Content-Type": "application/json;charset=UTF-8"]
            #expect(try await client.send("/rest/v3/application/list", headers: utf8).status == 200)
            var device = try await client.activeDevice()
            let body = Data("a=1".utf8)
            var headers = [
                SignatureHeader.name: try device.signature(uriId: "/pa/signature/validate", body: body).value
            ]
            headers.merge(form) { $1 }
            #expect(try await client.send("/pa/v3/signature/validate", headers: headers, body: body).status == 200)
        }
    }

    @Test func `Unreadable bodies are refused with a reason`() async throws {
        try await ServerFixture.run { client in
            let broken = try await client.send("/rest/v3/activation/init", body: Data("{".utf8))
            #expect(broken.status == 400 && broken.code == "ERROR_HTTP_REQUEST")
            let missing = try await client.send("/rest/v3/activation/init", body: Data("{}".utf8))
            #expect(missing.text("message")?.contains("requestObject") == true)
            for body in ["", "{", "[]", "{\"requestObject\":null}", "{\"requestObject\":{}}"] {
                let answer = try await client.send("/pa/v3/activation/status", body: Data(body.utf8))
                #expect(answer.status == 400 && answer.code == "ERR_ACTIVATION")
            }
            let large = try await client.send("/rest/v3/activation/init", body: Data(count: ServerLimits.bodyBytes + 1))
            #expect(large.status == 413)
        }
    }

    @Test func `Both faces answer at both mount points`() async throws {
        try await ServerFixture.run { client in
            for prefix in ["", "/enrollment-server"] {
                let answer = try await client.send("\(prefix)/pa/v3/status", body: Data("{}".utf8))
                #expect(answer.status == 200)
                #expect(answer.number("serverTime").map(Int64.init) == client.clock.now().milliseconds)
                #expect(answer.text("application.version") == "1.9.0")
            }
            for prefix in ["", "/powerauth-java-server"] {
                let answer = try await client.send("\(prefix)/rest/v3/status")
                #expect(answer.text("version") == "1.9.0")
                #expect(answer.text("timestamp") == "2024-10-08T09:33:20.000+00:00")
            }
            let errors = try await client.backOffice("error/list")
            #expect(errors.text("errors.45.code") == "ERR0045")
        }
    }
}

@Suite("Requests that fail before or after their work", .endsInTime)
struct FailedRequestTests {
    private struct Injected: Error {}

    /// Where the next request fails.
    private enum Place { case received, sent }

    @Test
    func `A failure before the work prevents it, one after it only changes the answer; both are answered with 500`()
        async throws
    {
        let place = OnePlace()
        let fixture = try ServerFixture(
            faults: ServerFaults(
                requestReceived: { _ in if place.take(.received) { throw Injected() } },
                responseSent: { _ in if place.take(.sent) { throw Injected() } }))
        try await fixture.run { client in
            for (failing, kept) in [(Place.received, 0), (Place.sent, 1)] {
                let count = fixture.journal.events.count
                place.set(failing)
                let answer = try await client.backOffice("activation/init", ["userId": "a", "applicationId": "lab"])
                #expect(answer.status == 500)
                let events = fixture.journal.events.dropFirst(count).map(\.event)
                let answered = events.filter {
                    if case .requestAnswered(_, _, 500, _) = $0 { true } else { false }
                }
                #expect(answered.count == 1, "\(events)")
                let list = try await client.backOffice("activation/list", ["userId": "a", "applicationId": "lab"])
                #expect(list.status == 200)
                #expect((list.text("activations.0.activationId") == nil) == (kept == 0), "\(failing)")
            }
        }
    }

    /// Any thread.
    private final class OnePlace: Sendable {
        private let next = Mutex<Place?>(nil)

        func set(_ place: Place) { next.withLock { $0 = place } }

        func take(_ place: Place) -> Bool {
            next.withLock { next in
                guard next == place else { return false }
                next = nil
                return true
            }
        }
    }
}
