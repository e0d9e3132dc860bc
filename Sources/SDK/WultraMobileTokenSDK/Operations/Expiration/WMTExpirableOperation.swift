public import Foundation

/// What expires (mobile-token.md, section 11).
public protocol WMTExpirableOperation {
    /// When it expires.
    var operationExpires: Date { get }

    /// Whether it is the same operation as another one.
    func equals(other: any WMTExpirableOperation) -> Bool
}

extension WMTExpirableOperation where Self: AnyObject {
    /// Operations are the same by identifier, data and expiration; other objects, if they are one.
    public func equals(other: any WMTExpirableOperation) -> Bool {
        if let own = self as? any WMTOperation, let theirs = other as? any WMTOperation {
            return own.id == theirs.id && own.data == theirs.data && operationExpires == other.operationExpires
        }
        return self === other as AnyObject
    }
}

extension WMTExpirableOperation {
    /// Whether it has expired at a date. It has not yet at the very moment.
    func isExpired(_ date: Date) -> Bool { operationExpires < date }
}

extension WMTUserOperation: WMTExpirableOperation {}

/// Provides the current time.
public protocol WMTCurrentDateProvider {
    /// The date now. Asked on any thread.
    var currentDate: Date { get }
}

/// The device's date, moved by a fixed time.
public final class WMTOffsetDateProvider: WMTCurrentDateProvider, Sendable {
    private let offset: TimeInterval

    /// - Parameter offset: seconds that are added to the device's date.
    public init(offset: TimeInterval = 0) {
        self.offset = offset
    }

    /// The date now.
    public var currentDate: Date { DeviceTime.current.now().addingTimeInterval(offset) }
}
