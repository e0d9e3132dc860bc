import Foundation
import PowerAuthProtocol

/// Upgrade of a V2 activation (protocol.md, section 15).
extension SessionMachine {
    mutating func startProtocolUpgrade() throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        guard record.protocolVersion == .V2 else { throw .wrongState }
        record.pendingUpgradeVersion = .V3
        update(record)
    }

    mutating func applyProtocolUpgrade(counterData: String) throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        guard record.protocolVersion == .V2, record.pendingUpgradeVersion == .V3 else { throw .wrongState }
        guard let bytes = StrictBase64.decode(counterData), let data = try? CounterData(bytes) else {
            throw .wrongParam
        }
        record.counter = .hash(data, byte: nil)
        update(record)
    }

    mutating func finishProtocolUpgrade() throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        guard record.protocolVersion == .V3, record.pendingUpgradeVersion == .V3 else { throw .wrongState }
        record.pendingUpgradeVersion = .NA
        update(record)
    }
}
