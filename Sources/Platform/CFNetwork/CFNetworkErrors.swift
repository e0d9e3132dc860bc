// SPDX-License-Identifier: Apache-2.0

/// Domain of errors with the numbers of ``CFNetworkErrors``.
public let kCFErrorDomainCFNetwork = "kCFErrorDomainCFNetwork"

/// The numbers of errors of Apple's CFNetwork framework, under the names that Swift has for them. Those from -998 downwards
/// are also the codes of `NSURLErrorDomain`.
public enum CFNetworkErrors: Int32, Sendable, CaseIterable {
    // MARK: Hosts and proxies

    /// The host has no address.
    case cfHostErrorHostNotFound = 1
    /// Something went wrong with the name of the host.
    case cfHostErrorUnknown = 2
    /// The SOCKS proxy has another version than the client.
    case cfsocksErrorUnknownClientVersion = 100
    /// The version of the SOCKS proxy is not known.
    case cfsocksErrorUnsupportedServerVersion = 101
    /// The SOCKS proxy refused the request.
    case cfsocks4ErrorRequestFailed = 110
    /// The SOCKS proxy cannot reach the client's `identd`.
    case cfsocks4ErrorIdentdFailed = 111
    /// The client's `identd` names another user.
    case cfsocks4ErrorIdConflict = 112
    /// The SOCKS proxy answered with an unknown status.
    case cfsocks4ErrorUnknownStatusCode = 113
    /// The SOCKS proxy cannot be negotiated with.
    case cfsocks5ErrorBadState = 120
    /// The SOCKS proxy's answer has an address of an unknown kind.
    case cfsocks5ErrorBadResponseAddr = 121
    /// The SOCKS proxy refused the user.
    case cfsocks5ErrorBadCredentials = 122
    /// The SOCKS proxy requires an unknown authentication method.
    case cfsocks5ErrorUnsupportedNegotiationMethod = 123
    /// The SOCKS proxy accepts none of the offered authentications.
    case cfsocks5ErrorNoAcceptableMethod = 124
    /// The FTP server answered with an unexpected status.
    case cfftpErrorUnexpectedStatusCode = 200
    /// The authentication of the HTTP server is not known.
    case cfErrorHTTPAuthenticationTypeUnsupported = 300
    /// The HTTP server refused the user.
    case cfErrorHTTPBadCredentials = 301
    /// The connection to the HTTP server was lost.
    case cfErrorHTTPConnectionLost = 302
    /// The answer is not HTTP.
    case cfErrorHTTPParseFailure = 303
    /// There were too many redirections.
    case cfErrorHTTPRedirectionLoopDetected = 304
    /// The URL is invalid.
    case cfErrorHTTPBadURL = 305
    /// The HTTP proxy cannot be reached.
    case cfErrorHTTPProxyConnectionFailure = 306
    /// The HTTP proxy refused the user.
    case cfErrorHTTPBadProxyCredentials = 307
    /// The script that finds proxies is wrong.
    case cfErrorPACFileError = 308
    /// The script that finds proxies requires authentication.
    case cfErrorPACFileAuth = 309
    /// The HTTPS proxy cannot be reached.
    case cfErrorHTTPSProxyConnectionFailure = 310
    /// The HTTPS proxy answered the request for a tunnel unexpectedly.
    case cfStreamErrorHTTPSProxyFailureUnexpectedResponseToCONNECTMethod = 311

    // MARK: Loading of URLs

    /// The session was made in the background by another process.
    case cfurlErrorBackgroundSessionInUseByAnotherProcess = -996
    /// The background session was interrupted.
    case cfurlErrorBackgroundSessionWasDisconnected = -997
    /// Unknown error.
    case cfurlErrorUnknown = -998
    /// The load was cancelled.
    case cfurlErrorCancelled = -999
    /// The URL is invalid.
    case cfurlErrorBadURL = -1000
    /// The time was over.
    case cfurlErrorTimedOut = -1001
    /// The scheme of the URL is not known.
    case cfurlErrorUnsupportedURL = -1002
    /// The host has no address.
    case cfurlErrorCannotFindHost = -1003
    /// The host refuses connections.
    case cfurlErrorCannotConnectToHost = -1004
    /// The connection was lost.
    case cfurlErrorNetworkConnectionLost = -1005
    /// The host's name cannot be resolved.
    case cfurlErrorDNSLookupFailed = -1006
    /// There were too many redirections.
    case cfurlErrorHTTPTooManyRedirects = -1007
    /// The resource cannot be had.
    case cfurlErrorResourceUnavailable = -1008
    /// The device has no connection to the internet.
    case cfurlErrorNotConnectedToInternet = -1009
    /// The redirection leads nowhere.
    case cfurlErrorRedirectToNonExistentLocation = -1010
    /// The answer is not HTTP.
    case cfurlErrorBadServerResponse = -1011
    /// The user cancelled the authentication.
    case cfurlErrorUserCancelledAuthentication = -1012
    /// The server requires authentication.
    case cfurlErrorUserAuthenticationRequired = -1013
    /// The answer is empty.
    case cfurlErrorZeroByteResource = -1014
    /// The content cannot be decoded.
    case cfurlErrorCannotDecodeRawData = -1015
    /// The content's encoding is not known.
    case cfurlErrorCannotDecodeContentData = -1016
    /// The answer cannot be parsed.
    case cfurlErrorCannotParseResponse = -1017
    /// Roaming is off.
    case cfurlErrorInternationalRoamingOff = -1018
    /// A call keeps the network busy.
    case cfurlErrorCallIsActive = -1019
    /// The mobile network does not allow data.
    case cfurlErrorDataNotAllowed = -1020
    /// The stream of the body is used up.
    case cfurlErrorRequestBodyStreamExhausted = -1021
    /// The app may use secure connections only.
    case cfurlErrorAppTransportSecurityRequiresSecureConnection = -1022
    /// The file does not exist.
    case cfurlErrorFileDoesNotExist = -1100
    /// The file is a directory.
    case cfurlErrorFileIsDirectory = -1101
    /// The file may not be read.
    case cfurlErrorNoPermissionsToReadFile = -1102
    /// The content is too long.
    case cfurlErrorDataLengthExceedsMaximum = -1103
    /// The file is outside of what may be read.
    case cfurlErrorFileOutsideSafeArea = -1104

    // MARK: Secure connections

    /// The secure connection failed.
    case cfurlErrorSecureConnectionFailed = -1200
    /// The certificate has expired.
    case cfurlErrorServerCertificateHasBadDate = -1201
    /// The certificate is not trusted.
    case cfurlErrorServerCertificateUntrusted = -1202
    /// The certificate's authority is not known.
    case cfurlErrorServerCertificateHasUnknownRoot = -1203
    /// The certificate is not valid yet.
    case cfurlErrorServerCertificateNotYetValid = -1204
    /// The server refused the client's certificate.
    case cfurlErrorClientCertificateRejected = -1205
    /// The server requires a client certificate.
    case cfurlErrorClientCertificateRequired = -1206

    // MARK: Network, files, downloads

    /// Only the cache could be asked, and it has nothing.
    case cfurlErrorCannotLoadFromNetwork = -2000
    /// The file cannot be made.
    case cfurlErrorCannotCreateFile = -3000
    /// The file cannot be opened.
    case cfurlErrorCannotOpenFile = -3001
    /// The file cannot be closed.
    case cfurlErrorCannotCloseFile = -3002
    /// The file cannot be written.
    case cfurlErrorCannotWriteToFile = -3003
    /// The file cannot be removed.
    case cfurlErrorCannotRemoveFile = -3004
    /// The file cannot be moved.
    case cfurlErrorCannotMoveFile = -3005
    /// The download cannot be decoded.
    case cfurlErrorDownloadDecodingFailedMidStream = -3006
    /// The end of the download cannot be decoded.
    case cfurlErrorDownloadDecodingFailedToComplete = -3007

    // MARK: Cookies and services

    /// The cookie file cannot be read.
    case cfhttpCookieCannotParseCookieFile = -4000
    /// Unknown error of the service.
    case cfNetServiceErrorUnknown = -72000
    /// The name of the service is taken.
    case cfNetServiceErrorCollision = -72001
    /// The service was not found.
    case cfNetServiceErrorNotFound = -72002
    /// The service is busy.
    case cfNetServiceErrorInProgress = -72003
    /// The description of the service is unusable.
    case cfNetServiceErrorBadArgument = -72004
    /// The search for the service was cancelled.
    case cfNetServiceErrorCancel = -72005
    /// The description of the service is incomplete.
    case cfNetServiceErrorInvalid = -72006
    /// The time for the service was over.
    case cfNetServiceErrorTimeout = -72007
    /// The service's names cannot be resolved.
    case cfNetServiceErrorDNSServiceFailure = -73000
}
