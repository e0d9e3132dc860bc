// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import SimulatedDevice
import Synchronization

/// Creates and removes tokens on the server (sdk.md, section 9.4). Thread rule: any thread.
final class ServerTokenProvider: RemoteTokenProvider {
    private let client: RestClient
    private let sandbox: Sandbox

    init(client: RestClient, sandbox: Sandbox) {
        self.client = client
        self.sandbox = sandbox
    }

    func requestToken(
        _ request: RemoteTokenRequest, completion: @escaping @Sendable (TaskResult<TokenRecord>) -> Void
    ) -> any PowerAuthOperationTask {
        let existing = ExistingRecord()
        let isVersion4 = client.hasVersion4Activation
        return client.post(
            RestRequest(
                isVersion4 ? .createTokenV4 : .createToken, authentication: request.authentication,
                isStillNeeded: { [sandbox] in
                    sandbox.keeps(.tokenIsMadeTwice) || existing.find(with: request.existingRecord)
                }),
            .answer { response in
                if !response.wasSent, let record = existing.record { return record }
                guard let identifier = response.string("tokenId"),
                    let secret = response.string("tokenSecret").flatMap({ Data(base64Encoded: $0) }),
                    let record = TokenRecord(
                        name: request.name, identifier: identifier, secret: secret,
                        activationId: request.activationId, factors: request.authentication?.tokenFactorMask ?? 0),
                    // The size of the secret decides which headers the token makes.
                    record.isVersion4 == isVersion4
                else { throw NSError.powerAuth(.encryption, "The response has no usable token.") }
                return record
            }, completion: completion)
    }

    func removeToken(
        _ record: TokenRecord, completion: @escaping @Sendable (TaskResult<Void>) -> Void
    ) -> (any PowerAuthOperationTask)? {
        client.post(
            RestRequest(
                client.hasVersion4Activation ? .removeTokenV4 : .removeToken, authentication: .possession()
            ) { _ in ["tokenId": record.identifier] },
            .answer { _ in }, completion: completion)
    }
}

/// The record that made a request unnecessary. Thread rule: any thread.
private final class ExistingRecord: Sendable {
    private let found = Mutex<TokenRecord?>(nil)

    var record: TokenRecord? { found.withLock { $0 } }

    /// Looks once; true if no record was found, so that the request is needed.
    func find(with look: () -> TokenRecord?) -> Bool {
        let record = look()
        found.withLock { $0 = record }
        return record == nil
    }
}
