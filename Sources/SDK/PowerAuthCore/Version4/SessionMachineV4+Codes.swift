// SPDX-License-Identifier: Apache-2.0

import Foundation
package import PowerAuthProtocol

/// An authentication code that a session has computed. Immutable. Thread rule: any thread.
package struct ComputedCode: Sendable {
    /// Identifier of the activation.
    package let activationId: String
    /// Base64 of the application key, or `offline` for a code without a connection.
    package let applicationKey: String
    /// Base64 of the 16-byte nonce.
    package let nonce: String
    /// The factors.
    package let type: SignatureType
    /// Base64 of 32 bytes a factor, or decimal digits for a code without a connection.
    package let code: String
    /// Identifies the counter value that was used, without revealing it: 16 hexadecimal digits for traces.
    package let counterLabel: String

    /// Complete value of the `X-PowerAuth-Authorization` header.
    package var headerValue: String {
        AuthenticationHeader(
            activationId: activationId, applicationKey: applicationKey, nonce: nonce, type: type, code: code
        ).value
    }
}

/// Authentication codes (protocol-4.md, section 9).
extension SessionMachine {
    /// The code of a request of a confirmed activation.
    mutating func authenticationCode(
        _ request: UnsignedRequest, keys: UnlockKeys, factor: PowerAuthCoreSignatureFactor
    ) throws(PowerAuthCoreErrorCode) -> ComputedCode {
        try code(request, keys, SignatureFactors(rawValue: Int(factor.rawValue)), of: try activatedV4())
    }

    /// The code that confirms an activation, with possession and knowledge; the first one that an activation has.
    mutating func activationConfirmationCode(
        body: Data, keys: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> ComputedCode {
        guard case .version4(.waitingForConfirmation(let record, _)) = state else { throw .wrongState }
        let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/pa/activation/confirm", body: body)
        return try code(UnsignedRequest(request), keys, [.possession, .knowledge], of: record)
    }

    /// The code that confirms an upgrade, with possession.
    mutating func upgradeConfirmationCode(
        body: Data, keys: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> ComputedCode {
        guard let record = try activated().upgrade else { throw .wrongState }
        let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/pa/upgrade/confirm", body: body)
        return try code(UnsignedRequest(request), keys, .possession, of: record)
    }

    /// Computes a code, and moves the counter of the record that ``recordV4()`` returns.
    private mutating func code(
        _ request: UnsignedRequest, _ keys: UnlockKeys, _ factors: SignatureFactors, of record: ActivationRecordV4
    ) throws(PowerAuthCoreErrorCode) -> ComputedCode {
        guard request.isValid, let type = SignatureType(factors) else { throw .wrongParam }
        let factorKeys = try record.factorKeys(factors, keys)
        let nonce = request.offlineNonce ?? SymmetricSignature.randomNonce()
        let secretText = configuration.applicationSecretText
        let code: String = try encryptionFailure {
            if request.isOffline {
                return try AuthenticationCode.offline(
                    keys: factorKeys, counter: record.counter, uriId: request.uri, nonce: nonce, body: request.body,
                    length: Int(request.offlineSignatureSize))
            }
            return try AuthenticationCode.online(
                keys: factorKeys, counter: record.counter,
                request: SignedRequest(
                    method: request.method, uriId: request.uri, nonce: nonce, body: request.body,
                    applicationSecretText: secretText))
        }
        var advanced = record
        advanced.advanceCounter()
        updateV4(advanced)
        return ComputedCode(
            activationId: record.activationId,
            applicationKey: request.isOffline
                ? SymmetricSignature.offlineSecretText : configuration.applicationKeyText,
            nonce: nonce, type: type, code: code,
            counterLabel: PowerAuthCoreHTTPRequestDataSignature.label(of: record.counter.rawData))
    }
}
