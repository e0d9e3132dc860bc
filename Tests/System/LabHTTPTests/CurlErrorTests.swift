// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import TestSupport
import Testing

@Suite("Errors of libcurl", .endsInTime)
struct CurlErrorTests {
    @Test(
        arguments: [
            (1, URLError.Code.unsupportedURL), (3, .badURL), (5, .cannotFindHost), (6, .cannotFindHost),
            (7, .cannotConnectToHost), (8, .badServerResponse), (16, .badServerResponse), (18, .networkConnectionLost),
            (23, .dataLengthExceedsMaximum), (28, .timedOut), (35, .secureConnectionFailed), (42, .cancelled),
            (47, .httpTooManyRedirects), (52, .networkConnectionLost), (55, .networkConnectionLost),
            (56, .networkConnectionLost), (58, .clientCertificateRejected), (60, .serverCertificateUntrusted),
            (63, .dataLengthExceedsMaximum), (83, .serverCertificateUntrusted), (90, .serverCertificateUntrusted),
            (98, .clientCertificateRequired), (27, .unknown), (9999, .unknown),
        ] as [(UInt32, URLError.Code)])
    func `Libcurl results have platform codes`(result: UInt32, code: URLError.Code) {
        #expect(CurlError.urlErrorCode(rawValue: result) == code)
    }

    @Test
    func `A text that is no URL has an error that names it, and an exchange that was not sent can be cancelled`() {
        let error = CurlError.error(.badURL, "is no URL", path: "a b")
        #expect(error.domain == NSURLErrorDomain && URLError.Code(rawValue: error.code) == .badURL)
        #expect(error.localizedDescription == "a b: is no URL")
        NoExchange().cancel()
    }
}
