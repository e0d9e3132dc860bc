// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WultraPowerAuthNetworking

// The rows of the interface (networking.md, chapter 2) that no sample of the manual uses, one function a section. An
// application in the Swift 5 mode that names them all: if it no longer compiles, the interface has changed.

/// An application's own pinning.
final class OwnPinning: WPNPinningProvider {
    func validate(challenge: URLAuthenticationChallenge) -> Bool { challenge.protectionSpace.host == "lab.test" }
}

func networkingConfiguration(_ url: URL) {
    let config = WPNConfig(baseUrl: url, sslValidation: .sslPinning(OwnPinning()), userAgent: .custom("Own/1.0"))
    let _: (URL, TimeInterval) = (config.baseUrl, config.timeoutIntervalForRequest)
    if case .noValidation = config.sslValidation {}
    if case .systemDefault = config.userAgent {}
}

func networkingRequests(_ service: WPNNetworkingService, _ authentication: PowerAuthAuthentication) {
    typealias Plain = WPNEndpointBasic<WPNRequestBase, WPNResponseBase>
    let basic = Plain(endpointURLPath: "/status", e2ee: .applicationScope)
    service.acceptLanguage = "cs"
    service.concurencyStrategy = .serialSigned
    service.concurrencyStrategy = .concurrentAll
    service.jsonEncoder = JSONEncoder()
    service.jsonDecoder = JSONDecoder()
    let operation: Operation = service.post(
        data: .init(), to: basic, progressCallback: { _ in }, completionQueue: .global()
    ) { response, error in
        let _: WPNRestApiError? = response?.responseError
        let _: WPNErrorReason? = error?.reason
    }
    operation.cancel()
    let token = WPNEndpointSignedWithToken<WPNRequestBase, WPNResponseArray<String>>(
        endpointURLPath: "/list", tokenName: "token")
    service.post(data: .init(), signedWith: .possession(), to: token) { response, _ in
        let _: [String]? = response?.responseObject
    }
}

/// An application's own request, as up to version 1.4.
final class OwnRequest: WPNRequestBase {
    private enum Key: CodingKey { case name }
    let name: String

    init(name: String) {
        self.name = name
        super.init()
    }

    required init(from decoder: Decoder) throws {
        name = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .name)
        try super.init(from: decoder)
    }

    override func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
    }
}

func networkingRequestsOnAServer(_ body: Data) throws {
    let _: String? = try JSONDecoder().decode(WPNRequest<String>.self, from: body).requestObject
    let _: String = try JSONDecoder().decode(OwnRequest.self, from: body).name
}

func networkingErrors(_ error: WPNError) {
    error.restApiError = WPNRestApiError(code: "INVALID_REQUEST", message: "m")
    let _: WPNErrorReason.RawValue = error.reason.rawValue
    let _: (Int?, HTTPURLResponse?) = (error.httpStatusCode, error.httpUrlResponse)
    let _: (WPNRestApiError?, WPNKnownRestApiError?) = (error.restApiError, error.restApiError?.errorCode)
    let _: Bool = error.networkIsNotReachable && error.networkConnectionIsNotTrusted
    let _: PowerAuthRestApiErrorResponse? = error.powerAuthErrorResponse ?? error.powerAuthRestApiError
    let _: (String?, String?, PowerAuthErrorCode?) = (
        error.powerAuthRestApiErrorCode, error.powerAuthErrorMessage, error.powerAuthErrorCode
    )
    let _: WPNError = .wrap(.network_generic, error)
    let _: [WPNErrorReason] = [
        .unknown, .missingActivation, .canceled, .network_unknown, .network_generic, .network_invalidResponseObject,
        .network_invalidRequestObject, .network_signError, .network_timeOut, .network_noInternetConnection,
        .network_badServerResponse, .network_sslError, .network_errorStatusCode,
    ]
}

func networkingOperationsAndLog(_ queue: OperationQueue) {
    queue.addAsyncOperation { operation, markFinished in
        let _: WPNAsyncBlockOperation = operation
        markFinished {}
    }
    WPNLogger.verboseLevel = .all
    WPNLogger.verboseLevel = .debug
    WPNLogger.characterLimit = nil
    WPNLogger.logHttpTraffic = false
    WPNLogger.httpHeadersToSkip.add(element: "x-own")
}
