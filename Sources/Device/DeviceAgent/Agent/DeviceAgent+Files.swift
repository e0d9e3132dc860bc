import Foundation
import LabKit
import LabSystem
import SimulatedDevice

/// Files that apps send to their counterparts, and those that have arrived.
extension DeviceAgent {
    /// Reads a file of an app as it is now, and queues it.
    func sendFile(_ frame: WatchFrame, from host: AppHost, over link: LinkHost) {
        func refuse(_ code: Int) {
            send(WatchFrame(.transferQueued, messageId: frame.messageId, sequence: UInt64(code)), to: host)
        }
        guard case .file(let file)? = TransferContent(frame) else { return refuse(LinkCode.generic) }
        guard let content = try? Files.read(file.path) else { return refuse(LinkCode.fileAccessDenied) }
        guard content.count <= WatchFile.limit else { return refuse(LinkCode.payloadTooLarge) }
        link.collect(.file(host.spec.name, frame.messageId, file, content))
    }

    /// Puts a file that has arrived into the container of its app, and reports it to the app. What the storage refuses stays queued.
    func handOver(_ file: ReceivedFile, to host: AppHost, of link: LinkHost) {
        guard host.address != nil, let name = file.file.name else { return }
        do {
            send(file.frame(for: host.spec.name, at: try store(file, name, for: host)), to: host)
        } catch {
            trace.emit(StorageFailure(error), of: "container", bytes: file.file.size)
            link.collect(.handOverFailed(host.spec.name))
        }
    }

    /// - Returns: The path of the file.
    private func store(_ file: ReceivedFile, _ name: String, for host: AppHost) throws -> String {
        let directory = try inbox(of: host, file.transferId)
        if Files.exists(directory) { try Files.removeTree(directory) }
        try Files.createDirectory(directory)
        // The name may have the maximum length, which leaves no room for the name of a temporary file.
        let written = directory + "/content"
        try Files.write(file.parts.reduce(into: Data()) { $0 += $1 }, to: written)
        let path = directory + "/" + name
        try Files.rename(written, to: path)
        return path
    }

    /// The app has finished a transfer; a file that its delegate has not moved is deleted.
    func removeHandedOver(_ transferId: UUID, from host: AppHost) throws {
        let directory = try inbox(of: host, transferId)
        if Files.exists(directory) { try Files.removeTree(directory) }
    }

    private func inbox(of host: AppHost, _ transferId: UUID) throws -> String {
        try registry.container(ofApp: host.spec.bundleIdentifier)
            + "/Documents/Inbox/com.apple.watchconnectivity/\(transferId.uuidString)"
    }
}
