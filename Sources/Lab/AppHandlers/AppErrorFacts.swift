public import LabKit
import LabPeer
import PowerAuth2
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

/// Turns the errors of all SDKs that an app has into what a scenario can match.
public enum AppErrorFacts {
    /// The control error for anything that a command handler threw.
    public static func controlError(for error: any Error) -> ControlError {
        guard let error = error as? WPNError else { return ErrorFacts.controlError(for: error) }
        return ControlError(
            domain: "WPNError", code: error.nestedError == nil ? nil : error.code, name: error.reason.rawValue,
            message: error.description, userInfo: .object(facts(of: error)))
    }

    private static func facts(of error: WPNError) -> [String: JSONValue] {
        var facts: [String: JSONValue] = [
            "networkIsNotReachable": .bool(error.networkIsNotReachable),
            "networkConnectionIsNotTrusted": .bool(error.networkConnectionIsNotTrusted),
        ]
        facts["httpStatusCode"] = error.httpStatusCode.map { .integer(Int64($0)) }
        facts["responseCode"] = error.restApiError.map { .string($0.code) }
        facts["responseMessage"] = error.restApiError.map { .string($0.message) }
        facts["nested"] = error.nestedError.flatMap { ErrorFacts.controlError(for: $0).name }.map { .string($0) }
        return facts
    }
}
