// SPDX-License-Identifier: Apache-2.0

import EVPBaseline
import Foundation
import PowerAuthCore
import PowerAuthProtocol

/// The signature of a request by possession and knowledge (protocol.md, section 9).
func signatureComparisons() throws -> [Comparison] {
    let keys = DerivedKeys(masterSecret: .random())
    let (possessionUnlock, knowledgeUnlock) = (UnlockKey.random(), UnlockKey.random())
    let possession = try FactorKeyProtection.protect(keys.possession, unlockKey: possessionUnlock)
    let knowledge = try FactorKeyProtection.protect(keys.knowledge, unlockKey: knowledgeUnlock)
    let bodySize = 100
    let body = Data(count: bodySize)

    var comparisons = [
        Comparison(
            name: "request signature, 2 factors", goal: 1.15, repetitions: 500,
            subject: { count in
                var counter = CounterData.random()
                for _ in 0..<count {
                    let signing = SignatureKeys(
                        possession: try FactorKeyProtection.recover(possession, unlockKey: possessionUnlock),
                        knowledge: try FactorKeyProtection.recover(knowledge, unlockKey: knowledgeUnlock))
                    let request = SignedRequest(
                        method: "POST", uriId: "/pa/signature/validate", nonce: SymmetricSignature.randomNonce(),
                        body: body,
                        applicationSecretText: "EBESExQVFhcYGRobHB0eHw==")
                    _ = try SymmetricSignature.signature(
                        form: .online(.v3_3), keys: signing, counter: counter, request: request)
                    counter = counter.next()
                }
            },
            baseline: { try checked(baseline_signature($0, 2, bodySize)) })
    ]

    let client = try Client.activated()
    let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/pa/signature/validate", body: body)
    comparisons.append(
        Comparison(
            name: "  the same through a session, with password", goal: nil, repetitions: 5,
            subject: { count in
                for _ in 0..<count {
                    guard
                        client.session.signHttpRequestData(request, keys: client.keys, factor: .possession_Knowledge)
                            != nil
                    else { throw ClientFailure() }
                }
            },
            baseline: { count in
                try checked(baseline_signature(count, 2, bodySize))
                try checked(baseline_password(count, 10_000))
            }))
    comparisons.append(
        Comparison(
            name: "request signature through a session, 1 factor", goal: nil, repetitions: 500,
            subject: { count in
                for _ in 0..<count {
                    guard client.session.signHttpRequestData(request, keys: client.keys, factor: .possession) != nil
                    else { throw ClientFailure() }
                }
            },
            baseline: { try checked(baseline_signature($0, 1, bodySize)) }))
    return comparisons
}
