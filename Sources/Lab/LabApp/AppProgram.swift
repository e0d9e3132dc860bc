// SPDX-License-Identifier: Apache-2.0

import AppHandlers
import ArgumentParser
import Foundation
import Glibc
import LabControl
import LabCore
import LabPeer
import LabProgram
import LabSystem

/// The program of an own app: what its command line asks for.
struct AppProgram<App: LabApplication>: PeerProgram {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Files.name(of: CommandLine.arguments.first ?? "app"),
            abstract: "Plays an app in a lab instance.",
            discussion: PeerOptions.discussion + "\n\nWith --vocabulary, prints what the app understands and ends.")
    }

    @OptionGroup var options: PeerOptions

    static func main() -> Never {
        // The lab asks before there is an instance or a name, so nothing else is read.
        guard Array(CommandLine.arguments.dropFirst()) == [AppVocabulary.question] else { play() }
        let vocabulary = MainActor.assumeIsolated { App.vocabulary }
        FileHandle.standardOutput.write(Data((vocabulary.json.prettyPrinted() + "\n").utf8))
        Glibc.exit(Program.ExitCode.success.rawValue)
    }

    func run() throws {
        // Safe: the parser calls it where `main` is called, on the main thread, which the main actor has.
        nonisolated(unsafe) let options = options
        try MainActor.assumeIsolated { try Self.play(options) }
    }

    @MainActor
    private static func play(_ options: PeerOptions) throws -> Never {
        let role = App.role
        try Peer.main(options, playing: [role.kind], own: App.vocabulary, errors: controlError) { peer in
            guard peer.app.powerAuth.sdk == role.sdk else {
                throw OtherSDK(app: peer.app.name, expected: peer.app.powerAuth.sdk, embedded: role.sdk)
            }
            let context = AppContext(peer, sdk: try role.register(peer))
            let app = try App(context)
            for command in App.commands {
                peer.handle(command.declaration(of: role.sdk.actor)) { arguments, reply in
                    Task { @MainActor in
                        do {
                            reply(.success(try await command.answer(app, arguments)))
                        } catch {
                            reply(.failure(error))
                        }
                    }
                }
            }
        }
    }

    private static func controlError(for error: any Error) -> ControlError {
        (error as? any AppError)?.controlError ?? AppErrorFacts.controlError(for: error)
    }
}

/// The topology configures another SDK than the program embeds.
struct OtherSDK: Error, CustomStringConvertible {
    let app: String
    let expected: PowerAuthSpec.SDK
    let embedded: PowerAuthSpec.SDK

    var description: String {
        "`\(app)` has `sdk: \(expected.rawValue)` in the lab file, but this program embeds the SDK `\(embedded.rawValue)`."
    }
}
