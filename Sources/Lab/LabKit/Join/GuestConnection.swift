import Foundation

/// The guest of an owner, and whether its connection has ended.
///
/// A connection is known by its descriptor, which a later connection may get again. The library reports the end of the
/// first one before the acceptance of the second, and both before the first message of the second: all reports are
/// to be taken before a hello.
///
/// A value that decides and does nothing else.
struct GuestConnection: Equatable {
    /// The guest that has said hello last.
    private(set) var guest: Data?
    /// The guest's connection has ended. The library may not have noticed yet, and still take messages for the guest.
    private(set) var hasEnded = false
    /// The guest's connection; nil when unknown.
    private var descriptor: Int32?
    /// Connections that have ended, unless a later one has the same descriptor.
    private var ended: Set<Int32> = []

    /// A connection was accepted.
    mutating func accept(_ descriptor: Int32) { ended.remove(descriptor) }

    /// A connection has ended.
    mutating func end(_ descriptor: Int32) {
        ended.insert(descriptor)
        // An unknown connection may be any.
        if guest != nil, self.descriptor == nil || self.descriptor == descriptor { hasEnded = true }
    }

    /// A guest has said hello, over this connection.
    mutating func greet(_ guest: Data, over descriptor: Int32?) {
        self.guest = guest
        self.descriptor = descriptor
        hasEnded = descriptor.map(ended.contains) ?? false
    }

    /// The guest has said goodbye, or is lost.
    mutating func leave() {
        guest = nil
        descriptor = nil
        hasEnded = false
    }
}
