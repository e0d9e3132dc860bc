// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabControl
public import LabCore
public import LabVocabulary
public import PowerAuthShared
import WatchConnectivity

/// Joins the two halves of a vendor's completion, a value and an error, into one result.
public enum Outcome {
    /// The error if there is one, else the value; a completion that gives neither is reported as such.
    public static func of<Value>(_ value: Value?, _ error: (any Error)?) -> Result<Value, any Error> {
        if let error { return .failure(error) }
        if let value { return .success(value) }
        return .failure(
            ControlError(
                domain: "PowerAuthLab", code: nil, name: "emptyCompletion",
                message: "The SDK called its completion with neither a result nor an error.", userInfo: nil))
    }

    /// Success unless there is an error, for completions without a value.
    public static func of(_ error: (any Error)?) -> Result<NoResult, any Error> {
        error.map { .failure($0) } ?? .success(NoResult())
    }
}

extension PowerAuthAuthentication {
    /// Possession, and knowledge when a password is given.
    public static func signing(with password: Secret?) -> PowerAuthAuthentication {
        password.map { possessionWithPassword(password: $0.revealed) } ?? possession()
    }
}

extension HTTPHeader {
    /// The header as a scenario sees it.
    public init(_ header: PowerAuthAuthorizationHttpHeader) {
        self.init {
            $0.key = header.key
            $0.value = header.value
        }
    }
}

/// Turns the errors that an SDK gives to an app into what a scenario can match.
///
/// An app sees an `NSError` with a domain, a code and a `userInfo`; a scenario names the code by its word and matches
/// the members of `userInfo` that have a meaning outside the process.
public enum ErrorFacts {
    /// The control error for anything that a command handler threw.
    public static func controlError(for error: any Error) -> ControlError {
        if let error = error as? ControlError { return error }
        if let cause = error as? InvalidConfiguration { return controlError(for: cause) }
        let error = error as NSError
        return ControlError(
            domain: error.domain, code: error.code, name: name(of: error), message: error.localizedDescription,
            userInfo: userInfo(of: error))
    }

    /// The error of every SDK command in an app whose SDK object refused its configuration.
    private static func controlError(for cause: InvalidConfiguration) -> ControlError {
        var facts: [String: JSONValue] = ["cause": .string(cause.cause)]
        if let limit = cause.limit { facts["limit"] = .integer(Int64(limit)) }
        if let actual = cause.actual { facts["actual"] = .integer(Int64(actual)) }
        return ControlError(
            domain: PowerAuthErrorDomain, code: nil, name: "invalidConfiguration", message: cause.description,
            userInfo: .object(facts))
    }

    private static func name(of error: NSError) -> String? {
        switch error.domain {
        case PowerAuthErrorDomain: PowerAuthErrorCode(rawValue: error.code).map { String(describing: $0) }
        case NSURLErrorDomain: ErrorNames.ofURLLoading(code: error.code)
        case WCErrorDomain: WCError.Code(rawValue: error.code).map { String(describing: $0) }
        default: nil
        }
    }

    private static func userInfo(of error: NSError) -> JSONValue? {
        guard error.domain == PowerAuthErrorDomain else { return nil }
        var facts: [String: JSONValue] = [:]
        if let operation = error.powerAuthExternalPendingOperation {
            facts["externalPendingOperation"] = .object([
                "externalOperationType": .string(String(describing: operation.externalOperationType)),
                "externalApplicationId": .string(operation.externalApplicationId),
            ])
        }
        if let response = error.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse {
            facts["httpStatusCode"] = .integer(Int64(response.httpStatusCode))
            if let code = response.responseObject?.code { facts["responseCode"] = .string(code) }
            if let message = response.responseObject?.message { facts["responseMessage"] = .string(message) }
        }
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? InvalidConfiguration {
            facts["cause"] = .string(cause.cause)
        }
        return facts.isEmpty ? nil : .object(facts)
    }
}
