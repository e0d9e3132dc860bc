// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LabCore
import LabPeer
import WatchAppHandlers

/// The app on the watch.
@main
struct WatchCompanion: PeerProgram {
    static let configuration = CommandConfiguration(
        commandName: "watch-companion",
        abstract: "Plays a watch app in a lab instance.",
        discussion: PeerOptions.discussion)

    @OptionGroup var options: PeerOptions

    func run() throws {
        try Peer.main(options, playing: [.watchApp], errors: ErrorFacts.controlError) { peer in
            try WatchApp(peer: peer).register(on: peer)
            MessagingHandlers.register(on: peer, reportsPairing: false)
        }
    }
}
