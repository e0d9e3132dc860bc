// SPDX-License-Identifier: Apache-2.0

import EVPBaseline
import Foundation
import PowerAuthProtocol

/// Codes and messages of protocol 4 (protocol-4.md, sections 7 and 9).
func version4Comparisons() throws -> [Comparison] {
    let body = Data(count: 100)
    let keys = ActivationKeys(secret: .random())
    let factors = AuthenticationKeys(possession: keys.possession, knowledge: keys.knowledge)
    var counter = HashBasedCounter.random()

    let parameters = AeadParameters(
        purpose: .activationGeneric, applicationKey: "AAECAwQFBgcICQoLDA0ODw==", applicationSecret: .random(),
        activationId: "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11", key: keys.utility.sharedInfo2,
        temporaryKeyId: "2b1f0c6e-9a54-4e5a-8a3c-0d9b7f3e6c21", secret: .random())
    let client = AeadClientEncryptor(parameters: parameters)
    let server = AeadServerDecryptor(parameters: parameters)
    // The server's work is not timed, so the responses are made before.
    var responses: [(decryptor: AeadResponseDecryptor, response: AeadResponse)] = []
    return [
        Comparison(
            name: "authentication code of 4.0, 2 factors", goal: 1.15, repetitions: 400,
            subject: { count in
                for _ in 0..<count {
                    _ = try AuthenticationCode.online(
                        keys: factors, counter: counter,
                        request: SignedRequest(
                            method: "POST", uriId: "/operation/authorize", nonce: "ICEiIyQlJicoKSorLC0uLw==",
                            body: body, applicationSecretText: "EBESExQVFhcYGRobHB0eHw=="))
                    counter = counter.next()
                }
            },
            baseline: { try checked(baseline_code($0, body.count)) }),
        Comparison(
            name: "message of 4.0: request encrypt + response decrypt", goal: 1.40, repetitions: 400,
            prepare: { count in
                responses = try (0..<count).map { _ in
                    let (request, decryptor) = try client.encrypt(body, timestamp: 1)
                    return (decryptor, try server.decrypt(request).encryptor.encrypt(body, timestamp: 2))
                }
            },
            subject: { count in
                for index in 0..<count {
                    _ = try client.encrypt(body, timestamp: 1)
                    _ = try responses[index].decryptor.decrypt(responses[index].response)
                }
            },
            baseline: { try checked(baseline_aead($0, body.count)) }),
    ]
}
