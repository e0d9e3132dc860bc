import Foundation
import LabSystem

/// The right to answer at an endpoint: a lock taken before `bind`, because a second ZeroMQ bind on a live ipc path
/// succeeds silently and takes the path over.
///
/// Thread rule: any thread.
final class EndpointGuard: Sendable {
    private let lock: FileLock

    /// Takes the endpoint.
    ///
    /// - Throws: `InstanceError.endpointTaken` when another process answers there.
    init(_ layout: InstanceLayout, _ endpoint: InstanceEndpoint) throws {
        let path = try layout.endpointLockPath(endpoint)
        lock = try FileLock(path: path)
        guard try lock.tryLock() else {
            throw InstanceError.endpointTaken(name: endpoint.actor, pid: Self.owner(layout, endpoint))
        }
        let pid = Data("\(ProcessInfo.processInfo.processIdentifier)\n".utf8)
        try lock.descriptor.truncate(to: 0)
        try lock.descriptor.writeAll(pid, at: 0)
    }

    /// Gives the endpoint up; call it after the socket was closed.
    func release() throws { try lock.unlock() }

    /// The process that answers at an endpoint, or did so last.
    static func owner(_ layout: InstanceLayout, _ endpoint: InstanceEndpoint) -> Int32? {
        guard let path = try? layout.endpointLockPath(endpoint), let data = try? Files.read(path) else { return nil }
        return Int32(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
