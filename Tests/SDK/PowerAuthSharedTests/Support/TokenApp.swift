// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SimulatedDevice

/// A sharing application with a token store and a server of its own.
struct TokenApp {
    let app: SharingApp
    let provider = TestTokenProvider()
    let store: KeychainTokenStore
    let records: TokenRecordStore

    init(
        _ name: String, on device: TemporaryDevice, instanceId: String = SharingApp.instanceId,
        rules: TokenStoreRules = .application
    ) throws {
        let app = try SharingApp(name, on: device, instanceId: instanceId)
        let interface = app.interface
        let keychain = PowerAuthKeychain(
            identifier: PowerAuthKeychain_TokenStore, accessGroup: SharingApp.accessGroup,
            system: app.sandbox.keychain)
        self.app = app
        records = TokenRecordStore(keychain: keychain, instanceId: instanceId, sandbox: app.sandbox)
        store = KeychainTokenStore(
            rules: rules,
            environment: TokenStoreEnvironment(
                activation: { interface.activationIdentifier.map { .identifier($0) } ?? .none },
                currentTime: { TestTime.shared.currentTime() }),
            records: records, lock: interface)
        store.setProvider(provider)
    }

    /// Stores a record as the server would have made it.
    @discardableResult
    func put(
        _ name: String, factors: Int = 1, activationId: String? = StoredStates.activationId,
        identifier: String = "8e6a9c2b-2b1f-4f4f-9b61-3f0d5a0d7c11"
    ) -> Bool {
        // Sixteen bytes make a record.
        records.store(
            TokenRecord(
                name: name, identifier: identifier, secret: Data((0..<16).map { UInt8($0) }),
                activationId: activationId, factors: factors)!)
    }
}
