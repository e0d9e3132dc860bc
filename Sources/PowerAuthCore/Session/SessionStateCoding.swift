internal import Foundation
internal import PowerAuthProtocol

/// The vendor's byte format of a persisted session (sharing.md, section 13). App extensions parse it too, so that every
/// byte is part of a contract.
enum SessionStateCoding {
    /// "PA", the format's magic.
    private static let magic: [UInt8] = [0x50, 0x41]
    /// "P", in front of the data version.
    private static let tag: UInt8 = 0x50
    private static let activationFollows: UInt8 = 0x02

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

    /// Meaning of the 32 flag bits.
    private enum Flags {
        static let usesExternalKey: UInt32 = 1 << 1
        static let pendingUpgradeShift: UInt32 = 2
        static let pendingUpgradeMask: UInt32 = 0xFF
        static let hasCounterByte: UInt32 = 1 << 10
    }

    /// Writes a session; `nil` stands for a session without an activation. A V3 activation is written as data version 6,
    /// a V2 activation as data version 3.
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
    /// - Throws: ``PowerAuthCoreErrorCode/wrongParam`` for bytes that are not a session or describe an unusable one.
    static func decode(_ data: Data) throws(PowerAuthCoreErrorCode) -> ActivationRecord? {
        var reader = StateReader(data)
        guard try reader.bytes(2).elementsEqual(magic) else { throw .wrongParam }
        let content = try reader.byte()
        if content == 0, reader.isAtEnd { return nil }
        guard content & activationFollows != 0, try reader.byte() == tag,
            let version = DataVersion(rawValue: try reader.byte())
        else { throw .wrongParam }

        let counterNumber: UInt64? = version == .v3 ? try reader.integer() : nil
        let counterData: Data? = version == .v3 ? nil : try reader.counted()
        let activationId = try reader.countedString()
        let iterations: UInt32 = try reader.integer()
        let salt = try reader.counted()
        let possession = try reader.counted()
        let knowledge = try reader.counted()
        let biometry = try reader.counted()
        let transport = try reader.counted()
        let serverKey = try reader.counted()
        let deviceKey = try reader.counted()
        let privateKey = try reader.counted()
        let flags: UInt32 = try reader.integer()
        let recovery = version >= .v5 ? try reader.counted() : Data()
        let counterByte = version >= .v6 ? try reader.byte() : 0

        let pendingUpgrade = Int(flags >> Flags.pendingUpgradeShift & Flags.pendingUpgradeMask)
        guard let pendingUpgradeVersion = PowerAuthCoreProtocolVersion(rawValue: pendingUpgrade) else {
            throw .wrongParam
        }
        let counter: ActivationRecord.Counter
        if let counterNumber {
            counter = .numeric(counterNumber)
        } else if let counterData, let hash = try? CounterData(counterData) {
            let byteIsKnown = version >= .v6 && flags & Flags.hasCounterByte != 0
            counter = .hash(hash, byte: byteIsKnown ? counterByte : nil)
        } else {
            throw .wrongParam
        }
        let record = ActivationRecord(
            counter: counter, activationId: activationId, passwordIterations: iterations, passwordSalt: salt,
            possessionKey: possession, knowledgeKey: knowledge, biometryKey: biometry.isEmpty ? nil : biometry,
            transportKey: transport, serverPublicKey: serverKey, devicePublicKey: deviceKey,
            devicePrivateKey: privateKey, recoveryData: recovery.isEmpty ? nil : recovery,
            usesExternalEncryptionKey: flags & Flags.usesExternalKey != 0,
            pendingUpgradeVersion: pendingUpgradeVersion)
        guard record.isValid else { throw .wrongParam }
        return record
    }
}

/// Appends big-endian integers and counted bytes.
private struct StateWriter {
    private(set) var data = Data()

    mutating func append(_ bytes: [UInt8]) {
        data.append(contentsOf: bytes)
    }

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
private struct StateReader {
    private var reader: CountedReader

    init(_ data: Data) {
        reader = CountedReader(data)
    }

    var isAtEnd: Bool { reader.remaining == 0 }

    mutating func bytes(_ count: Int) throws(PowerAuthCoreErrorCode) -> Data {
        guard let bytes = reader.bytes(count) else { throw .wrongParam }
        return bytes
    }

    mutating func byte() throws(PowerAuthCoreErrorCode) -> UInt8 {
        guard let byte = reader.byte() else { throw .wrongParam }
        return byte
    }

    mutating func integer<Integer: FixedWidthInteger>() throws(PowerAuthCoreErrorCode) -> Integer {
        try bytes(Integer.bitWidth / 8).reduce(0) { $0 << 8 | Integer($1) }
    }

    mutating func counted() throws(PowerAuthCoreErrorCode) -> Data {
        guard let bytes = reader.counted() else { throw .wrongParam }
        return bytes
    }

    mutating func countedString() throws(PowerAuthCoreErrorCode) -> String {
        guard let string = String(bytes: try counted(), encoding: .utf8) else { throw .wrongParam }
        return string
    }
}
