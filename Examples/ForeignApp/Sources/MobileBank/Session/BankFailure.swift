// SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalAuthentication
import PowerAuth2
import WultraMobileTokenSDK

/// Every failure that the app shows, with a text for it.
public enum BankFailure: Error, Hashable {
    case offline
    case untrustedServer
    case timeout
    case wrongPin
    case wrongCode
    case noActivation
    case activationPending
    case otherAppIsBusy
    case biometryCancelled
    case biometryFallback
    case biometryUnavailable
    case operationExpired
    case operationClosed
    case keychain(OSStatus)
    case server(code: String)
    case unknown
}

extension BankFailure: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .offline: return "You are offline."
        case .untrustedServer: return "The connection to the bank is not safe."
        case .timeout: return "The bank does not answer."
        case .wrongPin: return "The PIN is wrong."
        case .wrongCode: return "The code is wrong."
        case .noActivation: return "This phone is not activated."
        case .activationPending: return "The activation is not finished."
        case .otherAppIsBusy: return "Another app of the bank is busy."
        case .biometryCancelled, .biometryFallback: return nil
        case .biometryUnavailable: return "Use your PIN."
        case .operationExpired: return "It is too late to decide."
        case .operationClosed: return "This was decided already."
        case .keychain(let status): return "The phone refused (\(status))."
        case .server(let code): return "The bank refused (\(code))."
        case .unknown: return "Something went wrong."
        }
    }
}

// MARK: - Tables

extension BankFailure {
    private static let reasons: [WMTErrorReason: BankFailure] = [
        .missingActivation: .noActivation,
        .operations_invalidActivation: .noActivation,
        .operations_alreadyFailed: .operationClosed,
        .operations_alreadyFinished: .operationClosed,
        .operations_alreadyCanceled: .operationClosed,
        .operations_alreadyRejected: .operationClosed,
        .operations_authExpired: .operationExpired,
        .operations_rejectExpired: .operationExpired,
        .operations_failed: .operationClosed,
    ]

    private static let networkReasons: [WPNErrorReason: BankFailure] = [
        .network_noInternetConnection: .offline,
        .network_timeOut: .timeout,
        .network_sslError: .untrustedServer,
    ]

    private static let serverCodes: [WPNKnownRestApiError: BankFailure] = [
        .authenticationFailure: .wrongPin,
        .authenticationError: .wrongPin,
        .invalidActivation: .noActivation,
        .activationError: .wrongCode,
        .operationExpired: .operationExpired,
    ]

    private static func of(_ code: PowerAuthErrorCode) -> BankFailure? {
        switch code {
        case .invalidActivationCode, .invalidActivationData: return .wrongCode
        case .missingActivation: return .noActivation
        case .activationPending, .invalidActivationState: return .activationPending
        case .biometryCancel: return .biometryCancelled
        case .biometryFallback: return .biometryFallback
        case .biometryNotAvailable, .biometryFailed: return .biometryUnavailable
        case .externalPendingOperation: return .otherAppIsBusy
        case .timeSynchronization: return .offline
        default: return nil
        }
    }
}

// MARK: - Mapping

extension BankFailure {
    /// What a callback reports: nil for a success.
    public static func map(_ error: Error?) -> BankFailure? {
        guard let error = error else { return nil }
        return map(error) as BankFailure
    }

    public static func map(_ error: Error) -> BankFailure {
        if let failure = error as? BankFailure { return failure }
        if let error = error as? WMTError { return map(error) }
        if let error = error as? LAError { return map(error) }
        let nsError = error as NSError
        if nsError.domain == PowerAuthErrorDomain {
            if let response = nsError.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse,
                let code = response.responseObject?.code
            {
                return WPNKnownRestApiError(rawValue: code).flatMap { serverCodes[$0] } ?? .server(code: code)
            }
            if let underlying = nsError.userInfo[NSUnderlyingErrorKey] as? NSError { return map(underlying) }
            return of(nsError.powerAuthErrorCode) ?? .unknown
        }
        if nsError.domain == NSURLErrorDomain {
            switch nsError.code {
            case NSURLErrorNotConnectedToInternet, NSURLErrorNetworkConnectionLost, NSURLErrorCannotConnectToHost:
                return .offline
            case NSURLErrorTimedOut: return .timeout
            case URLError.Code.serverCertificateUntrusted.rawValue, NSURLErrorCancelled: return .untrustedServer
            default: return .unknown
            }
        }
        return .unknown
    }

    private static func map(_ error: WMTError) -> BankFailure {
        if let failure = reasons[error.reason] ?? networkReasons[error.reason] { return failure }
        if error.networkIsNotReachable { return .offline }
        if error.networkConnectionIsNotTrusted { return .untrustedServer }
        if let known = error.restApiError?.errorCode, let failure = serverCodes[known] { return failure }
        if let code = error.restApiError?.code { return .server(code: code) }
        return error.powerAuthErrorCode.flatMap { of($0) } ?? .unknown
    }

    private static func map(_ error: LAError) -> BankFailure {
        switch error.code {
        case .userCancel, .systemCancel, .appCancel: return .biometryCancelled
        case .userFallback: return .biometryFallback
        default: return .biometryUnavailable
        }
    }
}
