// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import LabCore
package import LabPeer

/// A phone's app: a full SDK, of version 1.9 or 2.0, with its watch support.
package struct MainAppProgram: PeerProgram {
    package static let configuration = CommandConfiguration(
        commandName: "main-app",
        abstract: "Plays a phone's app with the PowerAuth SDK in a lab instance.",
        discussion: PeerOptions.discussion)

    @OptionGroup package var options: PeerOptions

    package init() {}

    package func run() throws {
        try Peer.main(options, playing: [.app], errors: AppErrorFacts.controlError) { peer in
            switch peer.app.powerAuth.sdk {
            case .full2: try PowerAuthApp2(peer: peer).register(on: peer)
            case .full, .extensions, .watch: try PowerAuthApp(peer: peer).register(on: peer)
            }
            MessagingHandlers.register(on: peer, reportsPairing: true)
        }
    }
}
