import Foundation
import LabKit
import LabPeer
import PowerAuth2
import WultraMobileTokenSDK

/// The commands about operations that are scanned and approved without a network.
enum OfflineOperationHandlers {
    static func register(
        on peer: Peer, app: MobileTokenApp, sdk: @escaping () throws -> PowerAuthSDK
    ) {
        peer.handleSync(ParseQROperation.self) { arguments in
            try ParseQROperation.Result(scan(arguments.payload, with: sdk()))
        }
        peer.handle(AuthorizeQROperation.self) { arguments, reply in
            try app.ready().operations.authorize(
                qrOperation: scan(arguments.payload, with: sdk()), uriId: arguments.uriId,
                authentication: .approving(with: arguments.password, biometry: arguments.biometry)
            ) { reply($0.mapError { $0 }) }
        }
    }

    /// Reads and verifies a code, as the SDK's manual requires before an app shows anything.
    private static func scan(_ payload: String, with sdk: PowerAuthSDK) throws -> WMTQROperation {
        switch WMTQROperationParser().parse(string: payload) {
        case .failure(let error):
            throw ControlError(
                domain: "WMTQROperationParserError", name: String(describing: error),
                message: "The code is not an operation: \(error).")
        case .success(let operation):
            guard
                sdk.verifyServerSignedData(
                    operation.signedData, signature: operation.signature.signature,
                    masterKey: operation.signature.signingKey == .master)
            else {
                throw ControlError(
                    domain: "WMTQROperationParserError", name: "signatureNotTrusted",
                    message: "The code was not signed by the server that the app is activated with.")
            }
            return operation
        }
    }
}

extension ParseQROperation.Result {
    fileprivate init(_ operation: WMTQROperation) {
        self.init {
            $0.operationId = operation.operationId
            $0.title = operation.title
            $0.message = operation.message
            $0.templateId = operation.operationData.templateId
            $0.fields = operation.operationData.fields.map(\.members)
            $0.allowBiometryFactor = operation.flags.allowBiometryFactor
            $0.flipButtons = operation.flags.flipButtons
            $0.fraudWarning = operation.flags.fraudWarning
            $0.blockWhenOnCall = operation.flags.blockWhenOnCall
            $0.totp = operation.totp
            $0.isNewerFormat = operation.isNewerFormat
            $0.signingKey = operation.signature.signingKey == .master ? .master : .personalized
        }
    }
}

extension WMTQROperationData.Field {
    /// The field with its type and what it holds.
    fileprivate var members: [String: JSONValue] {
        let members: [String: String?] =
            switch self {
            case .amount(let amount, let currency):
                ["type": "amount", "amount": amount.description, "currency": currency]
            case .account(let iban, let bic): ["type": "account", "iban": iban, "bic": bic]
            case .anyAccount(let account): ["type": "anyAccount", "account": account]
            case .date: ["type": "date", "date": plainDate.map(Self.text)]
            case .reference(let text): ["type": "reference", "text": text]
            case .note(let text): ["type": "note", "text": text]
            case .text(let text): ["type": "text", "text": text]
            case .fallback(let text, let fieldType):
                ["type": "fallback", "text": text, "fieldType": String(fieldType)]
            case .empty: ["type": "empty"]
            }
        return members.compactMapValues { $0 }.mapValues { .string($0) }
    }

    private static func text(_ date: DateComponents) -> String {
        String(format: "%04d-%02d-%02d", date.year ?? 0, date.month ?? 0, date.day ?? 0)
    }
}
