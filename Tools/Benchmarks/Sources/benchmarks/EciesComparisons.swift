// SPDX-License-Identifier: Apache-2.0

import EVPBaseline
import Foundation
import PowerAuthProtocol

/// One encrypted request and its response in protocol 3.3, activation scope (protocol.md, section 7).
func eciesComparisons() throws -> [Comparison] {
    let serverKey = try PrivateKey.generate()
    let parameters = EciesParameters(
        version: .v3_3, sharedInfo1: .activationGeneric, applicationKey: "AAECAwQFBgcICQoLDA0ODw==",
        activationId: "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11",
        temporaryKeyId: "2b1f0c6e-9a54-4e5a-8a3c-0d9b7f3e6c21")
    let sharedInfo2 = Data(count: 32)
    let client = EciesClientEncryptor(
        parameters: parameters, serverPublicKey: serverKey.publicKey, sharedInfo2: sharedInfo2)
    let server = EciesServerDecryptor(
        parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: sharedInfo2)
    let bodySize = 100
    let body = Data(count: bodySize)
    let repetitions = 40

    // The server's work must not be timed, so a sample decrypts the responses to requests that were
    // encrypted, and not timed, before.
    let pool = ResponsePool { count in
        try (0..<count).map { _ in
            let (request, decryptor) = try client.encrypt(body, timestamp: 1)
            return (decryptor, try server.decrypt(request).encryptor.encrypt(body, timestamp: 2))
        }
    }
    return [
        Comparison(
            name: "ECIES request encrypt + response decrypt", goal: 1.10, repetitions: repetitions,
            prepare: { try pool.fill($0) },
            subject: { count in
                for index in 0..<count {
                    _ = try client.encrypt(body, timestamp: 1)
                    let (decryptor, response) = pool[index]
                    _ = try decryptor.decrypt(response)
                }
            },
            baseline: { try checked(baseline_ecies($0, bodySize)) })
    ]
}

/// Responses that wait to be decrypted.
private final class ResponsePool {
    typealias Element = (EciesResponseDecryptor, EciesResponse)
    private let make: (Int) throws -> [Element]
    private var elements: [Element] = []

    init(_ make: @escaping (Int) throws -> [Element]) { self.make = make }

    func fill(_ count: Int) throws { elements = try make(count) }

    subscript(index: Int) -> Element { elements[index] }
}
