// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The vendor's byte format of a persisted session (sharing.md, section 13). App extensions parse it too, so that every
/// byte is part of a contract.
enum SessionStateCoding {
    /// "PA", the format's magic.
    static let magic: [UInt8] = [0x50, 0x41]
    /// "P", in front of the data version.
    static let tag: UInt8 = 0x50
    static let activationFollows: UInt8 = 0x02

    /// Data versions, each an ASCII digit.
    private enum DataVersion: UInt8, Comparable {
        /// Protocol V2, numeric counter.
        case v3 = 0x33
        /// Hash-based counter.
        case v4 = 0x34
        /// With recovery data.
        case v5 = 0x35
        /// With the counter byte.
        case v6 = 0x36

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    private enum Flags {
        static let usesExternalKey: UInt32 = 1 << 1
        static let pendingUpgradeShift: UInt32 = 2
        static let pendingUpgradeMask: UInt32 = 0xFF
        static let hasCounterByte: UInt32 = 1 << 10
    }

    /// Writes a session; `nil` stands for a session without an activation. A V3 activation is written as data version 6,
    /// a V2 activation as data version 3. A pending upgrade to protocol 4 is not written, see ``encode(activation:)``.
    static func encode(_ record: ActivationRecord?) -> Data {
        var writer = StateWriter()
        writer.append(magic)
        guard let record else {
            writer.append([0])
            return writer.data
        }
        writer.append([activationFollows, tag])
        var flags = UInt32(record.pendingUpgradeVersion.rawValue) << Flags.pendingUpgradeShift
        if record.usesExternalEncryptionKey { flags |= Flags.usesExternalKey }
        var counterByte: UInt8 = 0
        switch record.counter {
        case .numeric(let value):
            writer.append([DataVersion.v3.rawValue])
            writer.append(value)
        case .hash(let data, let byte):
            writer.append([DataVersion.v6.rawValue])
            writer.appendCounted(data.rawData)
            if let byte {
                flags |= Flags.hasCounterByte
                counterByte = byte
            }
        }
        writer.appendCounted(Data(record.activationId.utf8))
        writer.append(record.passwordIterations)
        for field in [
            record.passwordSalt, record.possessionKey, record.knowledgeKey, record.biometryKey ?? Data(),
            record.transportKey, record.serverPublicKey, record.devicePublicKey, record.devicePrivateKey,
        ] {
            writer.appendCounted(field)
        }
        writer.append(flags)
        if case .hash = record.counter {
            writer.appendCounted(record.recoveryData ?? Data())
            writer.append([counterByte])
        }
        return writer.data
    }

    /// Reads a session.
    /// - Returns: `nil` for a session without an activation.
    /// - Throws: ``ProtocolError`` naming the field that is damaged, missing or of an unacceptable size.
    static func decode(_ data: Data) throws(ProtocolError) -> ActivationRecord? {
        var reader = StateReader(data)
        guard try reader.bytes(2, "magic").elementsEqual(magic) else {
            throw .invalidFormat(field: "magic", reason: "it is not PA")
        }
        let content = try reader.byte("content")
        if content == 0, reader.isAtEnd { return nil }
        guard content & activationFollows != 0, try reader.byte("tag") == tag else {
            throw .invalidFormat(field: "content", reason: "no activation follows")
        }
        guard let version = DataVersion(rawValue: try reader.byte("data version")) else {
            throw .invalidFormat(field: "data version", reason: "it is not 3, 4, 5 or 6")
        }

        let counterNumber: UInt64? = version == .v3 ? try reader.integer("counter") : nil
        let counterData: Data? = version == .v3 ? nil : try reader.counted("counter data")
        let activationId = try reader.countedString("activation id")
        let iterations: UInt32 = try reader.integer("password iterations")
        let salt = try reader.counted("password salt")
        let possession = try reader.counted("possession key")
        let knowledge = try reader.counted("knowledge key")
        let biometry = try reader.counted("biometry key")
        let transport = try reader.counted("transport key")
        let serverKey = try reader.counted("server public key")
        let deviceKey = try reader.counted("device public key")
        let privateKey = try reader.counted("device private key")
        let flags: UInt32 = try reader.integer("flags")
        let recovery = version >= .v5 ? try reader.counted("recovery data") : Data()
        let counterByte = version >= .v6 ? try reader.byte("counter byte") : 0
        let pendingUpgrade = Int(flags >> Flags.pendingUpgradeShift & Flags.pendingUpgradeMask)
        guard let pendingUpgradeVersion = PowerAuthCoreProtocolVersion(rawValue: pendingUpgrade) else {
            throw .invalidFormat(field: "flags", reason: "version \(pendingUpgrade) of a pending upgrade is unknown")
        }
        let counter: ActivationRecord.Counter
        if let counterNumber {
            counter = .numeric(counterNumber)
        } else if let counterData, let hash = try? CounterData(counterData) {
            let byteIsKnown = version >= .v6 && flags & Flags.hasCounterByte != 0
            counter = .hash(hash, byte: byteIsKnown ? counterByte : nil)
        } else {
            throw .invalidLength(field: "counter data", expected: "16 bytes", actual: counterData?.count ?? 0)
        }
        let record = ActivationRecord(
            counter: counter, activationId: activationId, passwordIterations: iterations, passwordSalt: salt,
            possessionKey: possession, knowledgeKey: knowledge, biometryKey: biometry.isEmpty ? nil : biometry,
            transportKey: transport, serverPublicKey: serverKey, devicePublicKey: deviceKey,
            devicePrivateKey: privateKey, recoveryData: recovery.isEmpty ? nil : recovery,
            usesExternalEncryptionKey: flags & Flags.usesExternalKey != 0, pendingUpgradeVersion: pendingUpgradeVersion)
        try record.validate()
        return record
    }
}

/// Appends big-endian integers and counted bytes.
struct StateWriter {
    private(set) var data = Data()

    mutating func append(_ bytes: [UInt8]) { data.append(contentsOf: bytes) }

    mutating func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.bigEndian) { data.append(contentsOf: $0) }
    }

    mutating func appendCounted(_ bytes: Data) {
        // Counted fields are keys and identifiers of a few hundred bytes at most, far below the limit of 2^30.
        data.append(CountEncoding.encode(bytes.count)!)
        data.append(bytes)
    }
}

/// Reads what ``StateWriter`` wrote and refuses to read past the end.
struct StateReader {
    private var reader: CountedReader

    init(_ data: Data) { reader = CountedReader(data) }

    var isAtEnd: Bool { reader.remaining == 0 }

    mutating func bytes(_ count: Int, _ field: String) throws(ProtocolError) -> Data {
        guard let bytes = reader.bytes(count) else { throw .missing(field: field) }
        return bytes
    }

    mutating func byte(_ field: String) throws(ProtocolError) -> UInt8 {
        guard let byte = reader.byte() else { throw .missing(field: field) }
        return byte
    }

    mutating func integer<Integer: FixedWidthInteger>(_ field: String) throws(ProtocolError) -> Integer {
        try bytes(Integer.bitWidth / 8, field).reduce(0) { $0 << 8 | Integer($1) }
    }

    mutating func counted(_ field: String) throws(ProtocolError) -> Data {
        guard let bytes = reader.counted() else { throw .missing(field: field) }
        return bytes
    }

    mutating func countedString(_ field: String) throws(ProtocolError) -> String {
        guard let string = String(bytes: try counted(field), encoding: .utf8) else {
            throw .invalidEncoding(field: field)
        }
        return string
    }
}
