// SPDX-License-Identifier: Apache-2.0

import LabVocabulary

extension Explanation {
    /// The codes of the server's error answers.
    static let restErrors = RestErrorCode.allCases.map(explanation)

    private static func explanation(_ code: RestErrorCode) -> Explanation {
        switch code {
        case .authentication:
            protocolError(
                code, "The server accepts neither signature nor token of the request. It says no more to the device.",
                [
                    "A wrong password, which is counted, or another body, method or `uriId` than was signed.",
                    "The activation is not active, or the factors are not allowed.",
                    "A request that is encrypted, too, could not be decrypted.",
                ], "The line with `because`, or `server.refused` in the trace, has the cause.",
                ["quirks/request-with-an-unknown-key-fails.yaml"])
        case .activation:
            protocolError(
                code, "A request that makes, shows, renames or removes an activation was refused.",
                ["The code is unknown or expired, the one-time password wrong, or the envelope cannot be opened."],
                "`server.refused` in the trace has the cause.")
        case .invalidRecoveryCode:
            protocolError(
                code, "The PUK is wrong, and another attempt is possible.",
                ["A PUK that was used, or that of another index."],
                "`currentRecoveryPukIndex` is the index of the PUK that the server expects.")
        case .secureVault:
            protocolError(
                code, "The vault was not opened, and nothing was counted.",
                ["The factors do not open the vault, or the envelope of the request cannot be opened."],
                "`server.refused` in the trace has the cause; `vaultWithBiometry` lets biometry open it.")
        case .encryption:
            protocolError(
                code, "The envelope of the request cannot be opened.",
                [
                    "The server does not know the temporary key. The SDK gets another one and sends again, once.",
                    "The timestamp is too far from the server's time, or the request came twice.",
                    "The activation is not active, or the path expects the other scope.",
                ], "`server.refused` in the trace has the cause.", ["networking/end-to-end-encryption.yaml"])
        case .upgrade:
            protocolError(
                code, "The upgrade of the protocol was refused.",
                ["The activation has the newest version already, or the envelope cannot be opened."],
                "`server.refused` in the trace has the cause.")
        case .userInfo:
            protocolError(
                code, "The request for the user info was decrypted, and there is nothing to answer.",
                ["The claims of the user cannot be read."], "`server.refused` in the trace has the cause.")
        case .temporaryKey:
            protocolError(
                code, "The server gives the device no temporary key.",
                ["The application or the activation is unknown, not supported or not active.", "The request expired."],
                "`server.refused` in the trace has the cause.")
        case .notFound:
            protocolError(
                code, "The server has no such resource.", ["A typing error in the path, or another base URL."],
                "`server: requests` shows the path.", ["networking/errors.yaml"])
        case .generic:
            protocolError(
                code, "The resource cannot read the request, or something failed inside of the server.",
                [
                    "Another method, media type or JSON than the resource wants.",
                    "A fault of the server: `server: fail`.",
                ],
                "The message has more; an error of the server itself is in its log.")
        case .authenticationFailure:
            mobileTokenError(
                code, "The Mobile Token API accepts neither signature nor token of the request.",
                [
                    "A wrong password, which is counted, also for the operation.",
                    "A token that the server does not know.",
                ],
                "`server.refused` in the trace has the cause.", ["mobile-token/another-users-operation.yaml"])
        case .invalidRequest:
            mobileTokenError(
                code, "A member of the request is missing or wrong, or the operation is another user's.",
                ["The message names the member."], "Correct the member, or use an operation of this user.",
                ["mobile-token/another-users-operation.yaml"])
        case .invalidApplication:
            mobileTokenError(
                code, "The application is unknown.", ["The app's configuration is that of another server."],
                "Compare the app's configuration with the server's.")
        case .invalidActivation:
            mobileTokenError(
                code, "The server knows a newer activation of the user.",
                ["The setting `oneActivationPerUser` of the server, and a second device of the user."],
                "Activate again, or continue with the other device.", ["mobile-token/newest-activation-only.yaml"])
        case .invalidOperation:
            mobileTokenError(
                code, "There is no such operation, or it is in a state that does not allow the request.",
                ["An unknown identifier, or an operation of another application."],
                "Use the identifier that was created.", ["mobile-token/operation-errors.yaml"])
        case .operationAlreadyFinished:
            mobileTokenError(
                code, "The operation was approved or rejected before.",
                ["Another app or device was faster, or the answer to the first attempt was lost."],
                "The history shows which.", ["mobile-token/rejection.yaml"])
        case .operationAlreadyFailed:
            mobileTokenError(
                code, "The operation has failed.", ["Too many approvals failed."], "Create another operation.",
                ["mobile-token/operation-errors.yaml"])
        case .operationAlreadyCanceled:
            mobileTokenError(
                code, "The back office cancelled the operation.", ["`cancelOperation`."], "Fetch the list again.",
                ["mobile-token/operation-errors.yaml"])
        case .operationExpired:
            mobileTokenError(
                code, "The operation expired before it was decided.", ["It waited too long."],
                "Create another operation.", ["mobile-token/expiration.yaml"])
        case .operationFailed:
            mobileTokenError(
                code, "The decision was refused, and the operation still waits.",
                ["A factor that the operation does not allow, other data, or a wrong one-time password."],
                "`operation` of the server shows how many failures it counted.")
        case .operationRequiresActivationFlag:
            mobileTokenError(
                code, "The operation asks for a flag that the activation does not have.",
                ["`activationFlag` of the operation."], "Give the activation the flag, or create another operation.",
                ["mobile-token/activation-flags.yaml"])
        case .configuration:
            mobileTokenError(
                code, "The UI of an operation cannot be made.", ["Its template is no JSON once it is filled."],
                "Correct the template.")
        case .pushRegistrationFailed:
            mobileTokenError(
                code, "The registration for pushes was refused.",
                ["The push server does not accept it, or the activation is not known there."],
                "`server.refused` in the trace has the cause.", ["mobile-token/push-registration-is-refused.yaml"])
        case .inboxFailed:
            mobileTokenError(
                code, "The inbox cannot do what was asked.", ["No message of the user has this identifier."],
                "Use an identifier of the list.", ["mobile-token/inbox.yaml"])
        case .activationCodeFailed:
            mobileTokenError(
                code, "No activation code for another app can be made.",
                ["The application is unknown, or the one-time password is missing or too short."],
                "`server.refused` in the trace has the cause.")
        case .applicationConfiguration:
            mobileTokenError(
                code, "The application has no such configuration.", ["The key was never set for the application."],
                "Set it with `/rest/v3/application/config/create`.")
        case .remoteCommunication:
            mobileTokenError(
                code, "The core of the server refused for a reason that has no code of its own.",
                ["`server.refused` in the trace has the core's code."], "Ask for the meaning of that code.")
        case .recovery:
            backOfficeError(
                code, "The PUK is wrong, and another attempt is possible.",
                "A PUK that was used, or that of another index.",
                "`currentRecoveryPukIndex` is the index of the PUK that the server expects.")
        case .telemetry:
            backOfficeError(
                code, "A report was asked for that does not exist, or lacks a parameter.", "The message says which.",
                "Correct the request.")
        case .httpRequest:
            backOfficeError(
                code, "The body of the request cannot be read, or a rule of `/lab` contradicts itself.",
                "The message names the place.", "Correct the request.")
        }
    }

    private static func protocolError(
        _ code: RestErrorCode, _ meaning: String, _ causes: [String], _ advice: String, _ scenarios: [String] = []
    ) -> Explanation {
        restError(code, meaning, causes, advice, "rest-api.md, section 7.2", scenarios)
    }

    private static func mobileTokenError(
        _ code: RestErrorCode, _ meaning: String, _ causes: [String], _ advice: String, _ scenarios: [String] = []
    ) -> Explanation {
        restError(code, meaning, causes, advice, "mobile-token.md, section 16.2", scenarios)
    }

    private static func backOfficeError(
        _ code: RestErrorCode, _ meaning: String, _ cause: String, _ advice: String
    ) -> Explanation {
        restError(code, meaning, [cause], advice, "server.md, section 2.4", [])
    }

    private static func restError(
        _ code: RestErrorCode, _ meaning: String, _ causes: [String], _ advice: String, _ reference: String,
        _ scenarios: [String]
    ) -> Explanation {
        // The cause that names the refusal of a request quotes the code.
        Explanation(
            code.rawValue, .restError, meaning, causes: .reachable(by: causes), advice: advice,
            references: [reference], scenarios: scenarios, printed: "` with \(code.rawValue): ")
    }
}
