public import Foundation
public import LabKit
public import PowerAuthShared

/// Joins the two halves of a vendor's completion, a value and an error, into one result.
public enum Outcome {
    /// The error if there is one, else the value; a completion that gives neither is reported as such.
    public static func of<Value>(_ value: Value?, _ error: NSError?) -> Result<Value, any Error> {
        if let error { return .failure(error) }
        if let value { return .success(value) }
        return .failure(
            ControlError(
                domain: "PowerAuthLab", code: nil, name: "emptyCompletion",
                message: "The SDK called its completion with neither a result nor an error.", userInfo: nil))
    }

    /// Success unless there is an error, for completions without a value.
    public static func of(_ error: NSError?) -> Result<NoResult, any Error> {
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
