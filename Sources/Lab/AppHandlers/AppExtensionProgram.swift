// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import LabCore
package import LabPeer

/// An app extension: the Extensions SDK, or a full SDK with activation sharing when the topology says so.
package struct AppExtensionProgram: PeerProgram {
    package static let configuration = CommandConfiguration(
        commandName: "app-extension",
        abstract: "Plays an app extension in a lab instance.",
        discussion: PeerOptions.discussion)

    @OptionGroup package var options: PeerOptions

    package init() {}

    package func run() throws {
        try Peer.main(options, playing: [.appExtension], errors: AppErrorFacts.controlError) { peer in
            switch peer.app.powerAuth.sdk {
            case .full:
                try PowerAuthApp(peer: peer).register(on: peer)
                MessagingHandlers.register(on: peer, reportsPairing: true, hasSession: false)
            case .full2:
                try PowerAuthApp2(peer: peer).register(on: peer)
                MessagingHandlers.register(on: peer, reportsPairing: true, hasSession: false)
            case .extensions, .watch: try ReadingExtension(peer: peer).register(on: peer)
            }
        }
    }
}
