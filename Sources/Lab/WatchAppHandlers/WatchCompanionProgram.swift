// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import LabCore
package import LabPeer

/// The app on the watch.
package struct WatchCompanionProgram: PeerProgram {
    package static let configuration = CommandConfiguration(
        commandName: "watch-companion",
        abstract: "Plays a watch app in a lab instance.",
        discussion: PeerOptions.discussion)

    @OptionGroup package var options: PeerOptions

    package init() {}

    package func run() throws {
        try Peer.main(options, playing: [.watchApp], errors: ErrorFacts.controlError) { peer in
            try WatchApp(peer: peer).register(on: peer)
            MessagingHandlers.register(on: peer, reportsPairing: false)
        }
    }
}
