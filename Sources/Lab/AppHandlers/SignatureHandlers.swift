// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPeer
import LabVocabulary
import PowerAuth2
import PowerAuthProtocol

/// The commands about signatures, passwords and certificates.
enum SignatureHandlers {
    static func register<SDK: FullSDK>(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> SDK) {
        peer.handleSync(RequestSignature.self) { arguments in
            try sdk().header(.signing(with: arguments.password), arguments.method, arguments.uriId, arguments.body)
        }
        peer.handleSync(RequestGetSignature.self) { arguments in
            try getHeader(arguments, sdk())
        }
        peer.handleSync(OfflineSignature.self) { arguments in
            try sdk().offlineSignature(
                with: .signing(with: arguments.password), uriId: arguments.uriId,
                body: arguments.body.map { Data($0.utf8) }, nonce: arguments.nonce)
        }
        requests.handle(ValidatePassword.self) { arguments, reply in
            try sdk().validatePassword(password: arguments.password.revealed) { reply(Outcome.of($0)) }
        }
        requests.handle(ChangePassword.self) { arguments, reply in
            try sdk().changePassword(from: arguments.from.revealed, to: arguments.to.revealed) { error in
                reply(Outcome.of(error))
            }
        }
        requests.handle(CreateSignedCSR.self) { arguments, reply in
            try sdk().createSignedCSR(
                with: .signing(with: arguments.password), distinguishedNames: arguments.distinguishedNames,
                subjectAltNames: arguments.subjectAltNames
            ) { request, error in
                reply(Outcome.of(request, error))
            }
        }
    }

    /// The header of a GET request. The vendor's function takes one value for each name; an app whose query has a name
    /// several times signs the parameters itself, in the order in which the server does (protocol.md, section 9.2).
    private static func getHeader(_ arguments: RequestGetSignature, _ sdk: some FullSDK) throws -> HTTPHeader {
        let authentication = PowerAuthAuthentication.signing(with: arguments.password)
        var pairs: [(String, String)] = []
        for (name, values) in arguments.params ?? [:] {
            for value in values.arrayValue ?? [values] {
                guard let text = value.stringValue else {
                    throw ControlError.badArgument(
                        "`\(name)` in `params` expects a text or a list of texts; write `\"…\"` around a number.")
                }
                pairs.append((name, text))
            }
        }
        guard Set(pairs.map { $0.0 }).count < pairs.count else {
            return try HTTPHeader(
                sdk.requestGetSignature(
                    with: authentication, uriId: arguments.uriId, params: Dictionary(uniqueKeysWithValues: pairs)))
        }
        return try HTTPHeader(
            sdk.requestSignature(
                with: authentication, method: RequestMethod.get.rawValue, uriId: arguments.uriId,
                body: SymmetricSignature.canonicalQuery(pairs)))
    }
}

/// The commands about keys that only SDK 1.9 has in this form: those of the vault, and the key of the app's own.
enum Version1KeyHandlers {
    static func register(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handleSync(UnsafeChangePassword.self) { arguments in
            try sdk().unsafeChangePassword(from: arguments.from.revealed, to: arguments.to.revealed)
        }
        requests.handle(FetchEncryptionKey.self) { arguments, reply in
            try sdk().fetchEncryptionKey(.signing(with: arguments.password), index: arguments.index) { key, error in
                reply(Outcome.of(key.map { Secret($0.base64EncodedString()) }, error))
            }
        }
        requests.handle(SignData.self) { arguments, reply in
            try sdk().signData(
                withDevicePrivateKey: .signing(with: arguments.password), data: Data(arguments.data.utf8)
            ) { signature, error in
                reply(Outcome.of(signature?.base64EncodedString(), error))
            }
        }
        requests.handle(SignJWT.self) { arguments, reply in
            try sdk().signJwt(
                withDevicePrivateKey: .signing(with: arguments.password), claims: arguments.claims.propertyList
            ) { token, error in
                reply(Outcome.of(token, error))
            }
        }
        peer.handleSync(VerifyServerSignedData.self) { arguments in
            try sdk().verifyServerSignedData(
                Data(arguments.data.utf8), signature: arguments.signature, masterKey: arguments.masterKey)
        }
        registerExternalEncryptionKey(on: peer, sdk: sdk)
    }

    private static func registerExternalEncryptionKey(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handleSync(SetExternalEncryptionKey.self) { arguments in
            try sdk().setExternalEncryptionKey(bytes(of: arguments.key))
        }
        peer.handleSync(AddExternalEncryptionKey.self) { arguments in
            try sdk().addExternalEncryptionKey(bytes(of: arguments.key))
        }
        peer.handleSync(RemoveExternalEncryptionKey.self) { _ in
            try sdk().removeExternalEncryptionKey()
        }
        peer.handleSync(HasExternalEncryptionKey.self) { _ in try sdk().hasExternalEncryptionKey }
    }

    private static func bytes(of key: Secret) throws -> Data {
        guard let bytes = Data(base64Encoded: key.revealed) else {
            throw ControlError.badArgument("`key` expects Base64 of 16 bytes.")
        }
        return bytes
    }
}
