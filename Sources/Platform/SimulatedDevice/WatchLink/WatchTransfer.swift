public import Foundation

/// A file on its way to the counterpart.
public struct WatchFile: Codable, Equatable, Sendable {
    /// Greatest size of a file in bytes: the devices of the lab keep transfers in progress in memory.
    public static let limit = 16 * 1024 * 1024

    /// Where it is: the sending app's own file, or the copy for the receiving one.
    public var path: String
    /// Size in bytes.
    public var size: Int
    /// The sender's metadata: a binary property list.
    public var metadata: Data?

    /// Describes a file.
    public init(path: String, size: Int, metadata: Data? = nil) {
        self.path = path
        self.size = size
        self.metadata = metadata
    }

    /// The last part of the path; nil if it is not a file name.
    public var name: String? {
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init),
            !["", ".", ".."].contains(name), name.utf8.count <= 255, !name.utf8.contains(0)
        else { return nil }
        return name
    }
}

/// What a guaranteed transfer carries.
public enum TransferContent: Equatable, Sendable {
    /// A dictionary, as a binary property list.
    case userInfo(Data, isComplication: Bool = false)
    /// A file.
    case file(WatchFile)

    /// Reads the content of a frame; nil for an invalid description of a file.
    public init?(_ frame: WatchFrame) {
        guard frame.flags.contains(.file) else {
            self = .userInfo(frame.body, isComplication: frame.flags.contains(.complication))
            return
        }
        guard let file = try? frame.decodeBody(WatchFile.self) else { return nil }
        self = .file(file)
    }

    /// The flags of a frame with this content.
    public var flags: WatchFrame.Flags {
        switch self {
        case .userInfo(_, isComplication: false): .propertyList
        case .userInfo(_, isComplication: true): [.propertyList, .complication]
        case .file: .file
        }
    }

    /// The body of a frame with this content.
    public var body: Data {
        switch self {
        case .userInfo(let body, _): body
        case .file(let file): WatchFrame.body(file)
        }
    }
}

/// A guaranteed transfer of this app that is queued or under way.
public struct OwnTransfer: Equatable, Sendable {
    /// Identifies the transfer.
    public var transferId: UUID
    /// What it carries.
    public var content: TransferContent
    /// Of a file: how many bytes the other device has.
    public var sent: Int

    /// Describes a transfer.
    public init(transferId: UUID, content: TransferContent, sent: Int = 0) {
        self.transferId = transferId
        self.content = content
        self.sent = sent
    }
}
