// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WultraMobileTokenSDK

/// What the camera or a link has brought into the app.
public enum ScannedCode {
    case activation(code: String)
    /// An operation for a phone without network, whose signature the SDK has accepted.
    case offlineOperation(WMTQROperation)
    /// The proof that the user sits in front of the other screen.
    case proximity(WMTPACData)
}

public final class CodeScanner {
    private let powerAuth: PowerAuthProviding
    private let parser = WMTQROperationParser()

    public init(powerAuth: PowerAuthProviding) { self.powerAuth = powerAuth }

    public func read(_ text: String) -> Result<ScannedCode, BankFailure> {
        if let code = PowerAuthActivationCodeUtil.parse(fromActivationCode: text) {
            return .success(.activation(code: code.activationCode))
        }
        let result: WMTQROperationParseResult = parser.parse(string: text)
        switch result {
        case .success(let operation):
            let isMaster = operation.signature.signingKey == .master
            guard
                powerAuth.verifyServerSignedData(
                    operation.signedData, signature: operation.signature.signature, masterKey: isMaster)
            else { return .failure(.wrongCode) }
            return .success(.offlineOperation(operation))
        case .failure(.minimumAttributeFieldsRequired):
            return WMTPACUtils.parseQRCode(code: text).map { .success(.proximity($0)) } ?? .failure(.wrongCode)
        case .failure: return .failure(.wrongCode)
        }
    }

    public func open(_ link: URL) -> WMTPACData? { WMTPACUtils.parseDeeplink(url: link) }
}

extension WMTQROperation {
    /// The lines that the user compares with the other screen.
    public var lines: [String] {
        [title, message].filter { !$0.isEmpty }
            + operationData.fields.compactMap { field in
                switch field {
                case .amount(let amount, let currency): return "\(amount) \(currency)"
                case .account(let iban, let bic): return [iban, bic].compactMap { $0 }.joined(separator: ", ")
                case .anyAccount(let account): return account
                case .date(let date): return DateFormatter.day.string(from: date)
                case .reference(let text), .note(let text), .text(let text): return text
                case .fallback(let text, _): return text
                case .empty: return nil
                }
            }
    }

    public var allowsBiometry: Bool { flags.allowBiometryFactor && !flags.fraudWarning }
}

extension DateFormatter {
    fileprivate static let day: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd"
        return formatter
    }()
}
