import Foundation
import LabKit
import PowerAuthServer

/// A server inside a lab instance: ends with the instance's lease, with SIGTERM or with SIGINT, and gives up its
/// membership on the way out.
struct MemberServer {
    private let server: InstanceServer
    private let layout: InstanceLayout

    init(joining layout: InstanceLayout) throws {
        self.layout = layout
        server = try InstanceServer(joining: layout)
    }

    /// Blocks until the server has stopped.
    func run() throws {
        let server = self.server
        let stop: @Sendable () -> Void = {
            Stopping.watchdog {
                server.noteStop()
                try? server.leave()
            }
            server.stop()
        }
        try Stopping.onSignal(stop)
        try Lease.watch(layout, onLost: stop)
        defer { try? server.leave() }
        try Foreground.run {
            try await server.run { error in
                // Perhaps it has ended meanwhile, and another thread is removing it.
                try? server.leave()
                Stopping.fail("the server listens but cannot notify its instance: \(error)")
            }
        }
    }
}
