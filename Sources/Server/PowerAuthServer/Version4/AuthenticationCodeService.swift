// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Finds the counter and the factor keys that a code of protocol 4 was made with (protocol-4.md, sections 9 and 12).
///
/// Thread rule: any thread; it reads nothing.
struct AuthenticationCodeService: Sendable {
    let context: ServiceContext

    /// Tries every combination of factors and every data, with the present and the next factor keys.
    /// - Parameters:
    ///   - form: how the code is written.
    ///   - types: the factors that may have made the code.
    ///   - data: the authenticated bytes that may be meant; see ``SignedRequest``.
    /// - Returns: what is to be stored, and the factors; nil without a match.
    /// - Throws: `unableToComputeSignature` for stored keys that do not decode; as ``RecordSeal/secrets(of:_:)``.
    func match(
        _ code: String, form: AuthenticationCode.Form, types: [SignatureType], data: [Data], _ activation: Activation,
        _ binding: DeviceBinding
    ) throws -> (match: CodeMatch, type: SignatureType)? {
        guard let record = activation.version4 else { return nil }
        let secrets = try context.seal.secrets(of: activation, record)
        let trials = types.flatMap { type in
            secrets.candidates(type.factors).enumerated().map { index, candidate in
                (type: type, keys: candidate.keys, moved: index == 0 ? nil : candidate.secrets)
            }
        }
        guard !trials.isEmpty else { return nil }
        for bytes in data {
            let found: AuthenticationCode.Match?
            do {
                found = try AuthenticationCode.match(
                    code: code, form: form, candidates: trials.map { .init(keys: $0.keys, data: bytes) },
                    counter: HashBasedCounter(record.upgrade?.counterData ?? binding.counterData),
                    lookAhead: context.policy.lookAhead)
            } catch {
                throw ServiceError(.unableToComputeSignature, "\(error)")
            }
            guard let found else { continue }
            let trial = trials[found.candidate]
            let stored = try trial.moved.map { try context.seal.seal($0, activationId: activation.id) }
            let match = CodeMatch(
                distance: found.distance, nextCounter: found.nextCounter.rawData, secrets: stored)
            return (match, trial.type)
        }
        return nil
    }
}
