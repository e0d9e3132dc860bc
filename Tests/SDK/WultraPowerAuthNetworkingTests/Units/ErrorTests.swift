// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

@Suite("Errors and their reasons (networking.md, sections 10 and 16)", .endsInTime)
struct ErrorTests {
    private func answer(_ status: Int) throws -> HTTPURLResponse? {
        HTTPURLResponse(
            url: try #require(URL(string: "https://h")), statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
    }

    @Test(.verifies("networking.md", "B-15")) func `A wrapped error keeps everything but its reason`() throws {
        let error = WPNError(
            reason: .network_generic, error: URLError(.timedOut), httpUrlResponse: try answer(503),
            restApiError: WPNRestApiError(code: "A", message: "b"))
        let wrapped = WPNError.wrap(.unknown, error)
        #expect(wrapped.reason == .unknown && wrapped.code == -1001 && wrapped.httpStatusCode == 503)
        #expect(wrapped.restApiError?.code == "A" && wrapped.nestedError is URLError)
        let foreign = WPNError.wrap(.network_timeOut, URLError(.timedOut))
        #expect(foreign.reason == .network_timeOut && foreign.nestedError is URLError)
        let nothing = WPNError.wrap(.unknown)
        #expect(
            nothing.nestedError == nil && nothing.code == 0 && nothing.domain == "WPNError" && nothing.userInfo.isEmpty)
    }

    @Test(.verifies("networking.md", "B-16")) func `The HTTP status is that of the answer`() throws {
        let error = WPNError(reason: .network_generic, error: nil, httpUrlResponse: try answer(401), restApiError: nil)
        #expect(error.httpStatusCode == 401 && error.httpUrlResponse?.statusCode == 401)
    }

    @Test(
        .verifies("networking.md", "B-17"),
        arguments: [
            (-1009, true, false), (-1018, true, false), (-1020, true, false), (-1200, false, true),
            (-1201, false, true), (-1202, false, true), (-1203, false, true), (-1204, false, true),
            (-1001, false, false), (-1205, false, false), (-999, false, false),
        ])
    func `An error of the network states whether the network or the trust is missing`(
        code: Int, isUnreachable: Bool, isUntrusted: Bool
    ) {
        for domain in [NSURLErrorDomain, "kCFErrorDomainCFNetwork", "other"] {
            let error = WPNError(reason: .network_generic, error: NSError(domain: domain, code: code))
            #expect(error.networkIsNotReachable == (isUnreachable && domain != "other"))
            #expect(error.networkConnectionIsNotTrusted == (isUntrusted && domain != "other"))
        }
    }

    @Test(.verifies("networking.md", "B-18")) func `Details of PowerAuth SDK errors are passed on`() {
        let response = PowerAuthRestApiErrorResponse(
            httpStatusCode: 403, body: ["responseObject": ["code": "ERR_ACTIVATION", "message": "m"]])
        let error = WPNError(
            reason: .network_generic,
            error: NSError.powerAuth(.networkError, "Network error", userInfo: [PowerAuthErrorDomain: response]))
        #expect(error.powerAuthErrorCode == .networkError && error.powerAuthErrorMessage == "Network error")
        #expect(error.powerAuthRestApiError === response && error.powerAuthErrorResponse === response)
        #expect(error.httpStatusCode == 403 && error.restApiError?.errorCode == .activationError)
        #expect(error.powerAuthRestApiErrorCode == "ERR_ACTIVATION" && error.description == "Network error")
        let foreign = WPNError(reason: .network_generic, error: URLError(.timedOut))
        #expect(foreign.powerAuthErrorCode == .NA && foreign.powerAuthErrorMessage == nil)
        let none = WPNError(reason: .network_generic)
        #expect(none.powerAuthErrorCode == nil && none.powerAuthRestApiError == nil && none.restApiError == nil)
    }

    @Test func `An app gives an error of its own what the server said, and takes it away`() {
        let error = WPNError(reason: .network_generic)
        error.restApiError = WPNRestApiError(code: "OPERATION_EXPIRED", message: "m")
        #expect(error.restApiError?.errorCode == .operationExpired)
        #expect(WPNError.wrap(.unknown, error).restApiError?.errorCode == .operationExpired)
        error.restApiError = nil
        #expect(error.restApiError == nil && error.powerAuthRestApiErrorCode == nil)
    }

    @Test func `An error describes itself, also as any error`() throws {
        let error = WPNError(
            reason: .network_generic, error: nil, httpUrlResponse: try answer(400),
            restApiError: WPNRestApiError(code: "INVALID_REQUEST", message: ""))
        #expect(
            error.description
                == """
                Error reason: network_generic
                Error  domain: WPNError, code: 0
                HTTP Status Code: 400
                PA REST API Code: INVALID_REQUEST
                """)
        #expect((error as any Error).localizedDescription == error.description)
    }

    @Test(.verifies("networking.md", "B-19"))
    func `A reason is an extensible text, and the misspelt one of earlier versions is understood`() {
        #expect(WPNErrorReason.network_sslError.rawValue == "network_sslError")
        #expect(WPNErrorReason(rawValue: "network_sslErrror") == .network_sslError)
        #expect(WPNErrorReason.canceled.rawValue == "canceled")
        #expect(WPNErrorReason(rawValue: "operations_failed") != .unknown)
    }

    @Test(
        arguments: [
            (-1001, WPNErrorReason.network_timeOut), (-1009, .network_noInternetConnection),
            (-1011, .network_badServerResponse), (-1200, .network_sslError), (-1201, .network_sslError),
            (-1202, .network_sslError), (-1203, .network_sslError), (-1204, .network_sslError),
            (-1205, .network_sslError), (-1206, .network_sslError), (-2000, .network_sslError),
            (-1003, .network_generic), (-1004, .network_generic), (-1005, .network_generic), (-999, .network_generic),
            (-1018, .network_generic), (-1020, .network_generic),
        ])
    func `An exchange without an answer has the reason of its code, in the domain of URL errors`(
        code: Int, reason: WPNErrorReason
    ) {
        #expect(WPNErrorReason(exchangeFailedWith: NSError(domain: NSURLErrorDomain, code: code)) == reason)
        #expect(WPNErrorReason(exchangeFailedWith: NSError(domain: "other", code: code)) == .network_generic)
    }
}
