// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Data version 7: a state with keys of protocol 4. The vendor's format is not published; this one is the lab's own
/// (protocol-4.md, section 17, item 7).
///
/// Behind the data version follow, each after its count: the state of an activation of protocol 3 with a pending upgrade
/// (nothing for an activation of protocol 4), suite, activation id, counter data, counter byte (nothing when it is not
/// known), password salt, possession, knowledge and biometry keys (nothing without biometry), utility key, the server's
/// point and ML-DSA container (nothing in `EC_P384`), the device's, and the device's private keys. The last 32 bytes are the
/// SHA-256 of all before, so that damage never looks like another state. An older reader refuses the data version.
extension SessionStateCoding {
    /// "7", the data version.
    static let dataVersion7: UInt8 = 0x37

    private static let checksumSize = Digest.sha256(Data()).count

    private static var start7: [UInt8] { magic + [activationFollows, tag, dataVersion7] }

    /// Writes a session; `nil` stands for a session without an activation. What has no keys of protocol 4 is written in the
    /// vendor's format.
    static func encode(activation: StoredActivation?) -> Data {
        switch activation {
        case nil: encode(nil)
        case .version3(let record):
            if let upgrade = record.upgrade { encode(upgrade, upgrading: encode(record)) } else { encode(record) }
        case .version4(let record): encode(record, upgrading: Data())
        }
    }

    private static func encode(_ record: ActivationRecordV4, upgrading older: Data) -> Data {
        var writer = StateWriter()
        writer.append(start7)
        let fields: [Data] = [
            older, Data(record.suite.name.rawValue.utf8), Data(record.activationId.utf8), record.counter.rawData,
            record.counterByte.map { Data([$0]) } ?? Data(), record.passwordSalt, record.possessionKey,
            record.knowledgeKey, record.biometryKey ?? Data(), record.utilityKey, record.serverPublicKeys.ecdsa,
            record.serverPublicKeys.mldsa ?? Data(), record.devicePublicKeys.ecdsa,
            record.devicePublicKeys.mldsa ?? Data(), record.devicePrivateKeys,
        ]
        for field in fields { writer.appendCounted(field) }
        return writer.data + Digest.sha256(writer.data)
    }

    /// Reads a session.
    /// - Parameter suites: those of protocol 4 that the session can have. Without any, a state with keys of protocol 4 is
    ///   refused as one of an unknown version.
    /// - Returns: `nil` for a session without an activation.
    /// - Throws: ``ProtocolError`` naming the field that is damaged, missing or of an unacceptable size.
    static func decode(_ data: Data, suites: [CryptographySuite]) throws(ProtocolError) -> StoredActivation? {
        guard !suites.isEmpty, data.starts(with: start7) else {
            return try decode(data).map { StoredActivation.version3($0) }
        }
        let content = Data(data.dropLast(checksumSize))
        guard Data(data.suffix(data.count - content.count)) == Digest.sha256(content) else {
            throw .invalidFormat(field: "checksum", reason: "the state was changed after it was written")
        }
        var reader = StateReader(content)
        _ = try reader.bytes(start7.count, "data version")
        let older = try reader.counted("state of protocol 3")
        let record = try record(&reader, suites)
        guard reader.isAtEnd else { throw .invalidFormat(field: "state", reason: "more bytes follow") }
        guard !older.isEmpty else { return .version4(record) }
        guard var upgraded = try decode(older), upgraded.activationId == record.activationId else {
            throw .invalidFormat(field: "state of protocol 3", reason: "it is not of the activation that is upgraded")
        }
        upgraded.upgrade = record
        return .version3(upgraded)
    }

    private static func record(
        _ reader: inout StateReader, _ suites: [CryptographySuite]
    ) throws(ProtocolError) -> ActivationRecordV4 {
        let name = try reader.countedString("suite")
        guard let suite = suites.first(where: { $0.name.rawValue == name }) else {
            let known = suites.map(\.name.rawValue).joined(separator: ", ")
            throw .invalidFormat(field: "suite", reason: "\(name) is none of \(known)")
        }
        let activationId = try reader.countedString("activation id")
        let counterData = try reader.counted("counter data")
        guard let counter = try? HashBasedCounter(counterData) else {
            throw .invalidLength(field: "counter data", expected: "32 bytes", actual: counterData.count)
        }
        let counterByte = try reader.counted("counter byte")
        guard counterByte.count <= 1 else {
            throw .invalidLength(field: "counter byte", expected: "1 byte or none", actual: counterByte.count)
        }
        let salt = try reader.counted("password salt")
        let possession = try reader.counted("possession key")
        let knowledge = try reader.counted("knowledge key")
        let biometry = try reader.counted("biometry key")
        let utility = try reader.counted("utility key")
        let serverKeys = try publicKeys(&reader, "server public keys")
        let deviceKeys = try publicKeys(&reader, "device public keys")
        let record = ActivationRecordV4(
            suite: suite, activationId: activationId, counter: counter, counterByte: counterByte.first,
            passwordSalt: salt, possessionKey: possession, knowledgeKey: knowledge,
            biometryKey: biometry.isEmpty ? nil : biometry, utilityKey: utility, serverPublicKeys: serverKeys,
            devicePublicKeys: deviceKeys, devicePrivateKeys: try reader.counted("device private keys"))
        try record.validate()
        return record
    }

    private static func publicKeys(
        _ reader: inout StateReader, _ field: String
    ) throws(ProtocolError) -> EncodedSuiteKeys {
        let point = try reader.counted(field)
        let container = try reader.counted(field)
        return EncodedSuiteKeys(ecdsa: point, mldsa: container.isEmpty ? nil : container)
    }
}
