import CCurl
package import Foundation

/// Maps libcurl's results to the codes of `NSURLErrorDomain`, which applications of the vendor's SDK know.
package enum CurlError {
    /// The error for a transfer that ended without a response.
    ///
    /// - Parameters:
    ///   - code: libcurl's result.
    ///   - detail: libcurl's sentence about this transfer; may be empty.
    ///   - verified: the result of the verification of the server's certificates, an `X509_V_…` number.
    ///   - url: the URL of the request.
    static func error(_ code: CURLcode, detail: String, verified: Int = 0, url: URL) -> NSError {
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        if code == CURLE_PEER_FAILED_VERIFICATION {
            return error(urlErrorCode(verified: verified), text, url: url)
        }
        return error(urlErrorCode(code), text, url: url)
    }

    /// The platform's code for an error of a certificate, an `X509_V_…` number of OpenSSL.
    package static func urlErrorCode(verified: Int) -> URLError.Code {
        switch verified {
        case 9: .serverCertificateNotYetValid
        case 10: .serverCertificateHasBadDate
        // No known authority, another host, a bad signature, a strategy that refused.
        default: .serverCertificateUntrusted
        }
    }

    /// An error of `NSURLErrorDomain`.
    package static func error(_ code: URLError.Code, _ text: String, url: URL) -> NSError {
        NSError(
            domain: NSURLErrorDomain, code: code.rawValue,
            userInfo: [
                NSLocalizedDescriptionKey: "\(url.absoluteString): \(text)", NSURLErrorFailingURLErrorKey: url,
            ])
    }

    /// An error for text that is not even a URL.
    package static func error(_ code: URLError.Code, _ text: String, path: String) -> NSError {
        NSError(
            domain: NSURLErrorDomain, code: code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: "\(path): \(text)"])
    }

    /// The platform's code for a number of `CURLcode`.
    package static func urlErrorCode(rawValue: UInt32) -> URLError.Code {
        urlErrorCode(CURLcode(rawValue: rawValue))
    }

    private static func urlErrorCode(_ code: CURLcode) -> URLError.Code {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL: .unsupportedURL
        case CURLE_URL_MALFORMAT: .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotFindHost
        case CURLE_COULDNT_CONNECT: .cannotConnectToHost
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .networkConnectionLost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_BAD_CONTENT_ENCODING: .badServerResponse
        case CURLE_TOO_MANY_REDIRECTS: .httpTooManyRedirects
        case CURLE_FILESIZE_EXCEEDED, CURLE_WRITE_ERROR: .dataLengthExceedsMaximum
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .serverCertificateUntrusted
        case CURLE_SSL_CLIENTCERT: .clientCertificateRequired
        case CURLE_SSL_CERTPROBLEM: .clientCertificateRejected
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_SHUTDOWN_FAILED:
            .secureConnectionFailed
        default: .unknown
        }
    }
}
