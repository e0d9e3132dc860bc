// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabCore

/// One message of the watch link's wire protocol `WCL1`: between an app and its device's agent, and between the agents
/// of a phone and a watch (watch.md, section 11.3).
///
/// On the wire it has two parts. The first is a big-endian header of 64 bytes, followed by two extensions of ours: a
/// checksum over everything else (FNV-1a, 8 bytes), by which a damaged frame is refused, and the actor name of the app
/// that the message is for or comes from (UTF-8, at most 255 bytes). The second is the body.
public struct WatchFrame: Equatable, Sendable {
    /// The type of a frame; the raw value is the type byte.
    public enum Kind: UInt8, Sendable {
        // Between the agents of two devices.
        case hello = 0x01
        case welcome = 0x02
        case bye = 0x03
        case ping = 0x04
        case pong = 0x05
        case state = 0x06
        // Live messages, on both kinds of link.
        case live = 0x10
        case liveAcknowledgement = 0x11
        case liveReply = 0x12
        case liveError = 0x13
        // Guaranteed transfers. From an app: a request to queue one, answered by `transferQueued` or an error.
        case userInfo = 0x20
        case userInfoAcknowledgement = 0x21
        case userInfoGap = 0x22
        case userInfoTombstone = 0x23
        case userInfoRefusal = 0x24
        // The head of a file or a part of it, in the sequence of the transfers; `correlationId` names the file.
        case filePart = 0x25
        // From an app: a request to queue a file, answered by `transferQueued`.
        case file = 0x26
        // Application context.
        case context = 0x30
        case contextAcknowledgement = 0x31
        // Between an app and its agent.
        case attach = 0x40
        case activate = 0x41
        case appState = 0x42
        case deliver = 0x43
        case delivered = 0x44
        case transferDone = 0x45
        case event = 0x46
        case transferQueued = 0x47
        case cancelTransfer = 0x48
        // One own transfer that is still queued; all of them come before `activate`, so that no frame grows with their number.
        case outstandingTransfer = 0x49
        // The app's own last context; it comes before `activate` too.
        case ownContext = 0x4A
        // The end of a transfer was reported to the app.
        case transferTold = 0x4B
        // How many bytes of a file the other device has; in `sequence`.
        case transferProgress = 0x4C
        // The phone uses another watch; then: everything of the one before has been delivered.
        case sessionInactive = 0x4D
        case sessionDeactivated = 0x4E
        // The app's delegate has the context with this identifier.
        case contextTold = 0x4F
        // Notifications, between an app and its agent.
        case notificationRequest = 0x50
        case notificationAnswer = 0x51
        case notification = 0x52
        // Background tasks of a watch app, between the app and its agent.
        case backgroundTaskRequest = 0x53
        case backgroundTaskAnswer = 0x54
        case backgroundTask = 0x55
        // Whether content that has arrived waits for the app's delegate: 1 in `sequence`, or 0 when the delegate has it all.
        case contentPending = 0x56
    }

    /// Marks on a frame; the raw value is the flags byte.
    public struct Flags: OptionSet, Equatable, Sendable {
        /// The flags byte.
        public let rawValue: UInt8
        /// Creates flags from the byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The sender of a live message waits for a reply.
        public static let expectsReply = Flags(rawValue: 1)
        /// The body is a binary property list; otherwise it is raw data.
        public static let propertyList = Flags(rawValue: 2)
        /// The frame was sent before, or the entry was offered to the app before.
        public static let retransmission = Flags(rawValue: 4)
        /// The frame is about a file, and its body is a ``WatchFile``.
        public static let file = Flags(rawValue: 8)
        /// The transfer is for the complication of the watch app, which is woken up for it.
        public static let complication = Flags(rawValue: 16)
    }

    /// Why bytes are not a frame.
    public enum Malformed: Error, Equatable, Sendable {
        /// Not two parts, a short header, or a wrong magic number.
        case notAFrame
        /// The checksum is wrong: something was changed on the way.
        case damaged
        /// Another major version; its number.
        case version(UInt8)
        /// A type that this version does not know; to be ignored.
        case unknownKind(UInt8)
        /// The length in the header differs from the body's.
        case bodyLength
    }

    /// The type of the frame.
    public var kind: Kind
    /// Marks.
    public var flags: Flags
    /// Identifies a message or a transfer.
    public var messageId: UUID
    /// The message that a reply, an acknowledgement or an error is about; all zero if none.
    public var correlationId: UUID
    /// Identifies the sender's outbox since its creation.
    public var epoch: UInt64
    /// Position of a transfer in the sender's sequence, from 1; the code of an error; a version.
    public var sequence: UInt64
    /// Life time in milliseconds; 0 means unlimited.
    public var timeToLive: UInt32
    /// Actor name of the app concerned; empty if none.
    public var app: String
    /// The content.
    public var body: Data

    /// The identifier that stands for "none".
    public static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Creates a frame.
    public init(
        _ kind: Kind, flags: Flags = [], messageId: UUID = none, correlationId: UUID = none, epoch: UInt64 = 0,
        sequence: UInt64 = 0, timeToLive: UInt32 = 0, app: String = "", body: Data = Data()
    ) {
        self.kind = kind
        self.flags = flags
        self.messageId = messageId
        self.correlationId = correlationId
        self.epoch = epoch
        self.sequence = sequence
        self.timeToLive = timeToLive
        self.app = app
        self.body = body
    }

    private static let magic: [UInt8] = Array("WCL1".utf8)
    private static let headerLength = 64
    /// Where the name begins; between header and name stands the checksum.
    private static let nameOffset = headerLength + 8

    /// The checksum of a frame's parts, of which the first has room for it.
    static func checksum(of header: [UInt8], _ body: Data) -> UInt64 {
        var hash = FNV1a()
        header.withUnsafeBytes { bytes in
            hash.add(UnsafeRawBufferPointer(rebasing: bytes[..<headerLength]))
            hash.add(UnsafeRawBufferPointer(rebasing: bytes[nameOffset...]))
        }
        body.withUnsafeBytes { hash.add($0) }
        return hash.value
    }

    /// The two parts for the wire.
    public var parts: [Data] {
        let name = Array(app.utf8.prefix(255))
        var header = [UInt8](repeating: 0, count: Self.nameOffset)
        header.reserveCapacity(Self.nameOffset + name.count)
        header.withUnsafeMutableBytes { bytes in
            bytes.copyBytes(from: Self.magic)
            bytes[4] = 1
            bytes[6] = kind.rawValue
            bytes[7] = flags.rawValue
            bytes.storeBytes(of: messageId.uuid, toByteOffset: 8, as: uuid_t.self)
            bytes.storeBytes(of: correlationId.uuid, toByteOffset: 24, as: uuid_t.self)
            bytes.storeBytes(of: epoch.bigEndian, toByteOffset: 40, as: UInt64.self)
            bytes.storeBytes(of: sequence.bigEndian, toByteOffset: 48, as: UInt64.self)
            bytes.storeBytes(of: timeToLive.bigEndian, toByteOffset: 56, as: UInt32.self)
            bytes.storeBytes(of: UInt32(body.count).bigEndian, toByteOffset: 60, as: UInt32.self)
        }
        header.append(contentsOf: name)
        let checksum = Self.checksum(of: header, body)
        header.withUnsafeMutableBytes {
            $0.storeBytes(of: checksum.bigEndian, toByteOffset: Self.headerLength, as: UInt64.self)
        }
        return [Data(header), body]
    }

    /// Reads the parts of a frame, without the routing part that a ROUTER socket puts in front.
    /// - Throws: ``Malformed``.
    public init(parts: [Data]) throws(Malformed) {
        guard parts.count == 2, parts[0].count >= Self.nameOffset else { throw .notAFrame }
        let header = [UInt8](parts[0])
        guard header[0..<4].elementsEqual(Self.magic) else { throw .notAFrame }
        func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
            header.withUnsafeBytes { T(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
        }
        // Before the version, so that damage is not taken for a newer peer.
        guard integer(UInt64.self, at: Self.headerLength) == Self.checksum(of: header, parts[1]) else { throw .damaged }
        guard header[4] == 1 else { throw .version(header[4]) }
        guard let kind = Kind(rawValue: header[6]) else { throw .unknownKind(header[6]) }
        func identifier(at offset: Int) -> UUID {
            UUID(uuid: header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: uuid_t.self) })
        }
        guard Int(integer(UInt32.self, at: 60)) == parts[1].count else { throw .bodyLength }
        self.init(
            kind, flags: Flags(rawValue: header[7]), messageId: identifier(at: 8), correlationId: identifier(at: 24),
            epoch: integer(UInt64.self, at: 40), sequence: integer(UInt64.self, at: 48),
            timeToLive: integer(UInt32.self, at: 56),
            app: String(decoding: header[Self.nameOffset...], as: UTF8.self), body: parts[1])
    }

    /// The body as a value of type `T`, for the frames whose body is JSON.
    public func decodeBody<T: Decodable>(_ type: T.Type) throws -> T { try JSONDecoder().decode(type, from: body) }

    /// A JSON body. The types used here consist of strings, numbers and Booleans, which always encode.
    public static func body(_ value: some Encodable) -> Data { (try? JSONTextEncoder.encode(value)) ?? Data() }
}

extension WatchFrame.Malformed: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .notAFrame: "it is not a message of the link"
        case .damaged: "it was changed on the way"
        case .version(let number): "it has the unsupported version \(number)"
        case .unknownKind(let number): "it has the unknown type \(number)"
        case .bodyLength: "its length is not the one it states"
        }
    }
}
