package import Foundation
import PowerAuthProtocol

/// The content of the shared memory, for diagnostics (sharing.md, section 7.2).
package struct SharedStateSnapshot: Sendable, Equatable {
    /// Number of state changes that were saved, from 1.
    package let stateModifyCounter: UInt64
    /// Number of accesses that changed tokens, from 1.
    package let tokenModifyCounter: UInt64
    /// Number of external operations ever started, from 1.
    package let operationTicket: UInt64
    /// Raw value of the running external operation, 0 for none.
    package let operationType: Int64
    /// When its owner last gave a sign of life, or nil (sharing.md, D3).
    package let operationTouched: Date?
    /// Identifier of its owner, empty for none.
    package let operationApplication: String?
}

extension SharedSessionInterface {
    /// The fields of the shared memory, read under the status lock.
    package func snapshot() throws -> SharedStateSnapshot {
        try read { _ in
            let shared = memory.data
            return SharedStateSnapshot(
                stateModifyCounter: shared.stateModifyCounter, tokenModifyCounter: shared.tokenModifyCounter,
                operationTicket: shared.operationTicket, operationType: shared.operationType,
                operationTouched: shared.operationStart == 0
                    ? nil : Date(timeIntervalSince1970: shared.operationStart),
                operationApplication: shared.operationApplication)
        }
    }
}
