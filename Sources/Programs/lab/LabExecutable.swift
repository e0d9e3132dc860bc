// SPDX-License-Identifier: Apache-2.0

import AppHandlers
import LabPeer
import PowerAuthServer
import WatchAppHandlers

/// The runner, the server and the apps in one file, which plays the program by whose name it was started.
///
/// An installation has this file with five names: the programs share most of their code, above all the Swift runtime. Each
/// is an executable of its own, too, which links only what it needs. The agent of a device is always one: it needs none of
/// the libraries behind libcurl, without which it starts in half of the time.
@main
enum LabExecutable {
    static func main() {
        switch CommandLine.arguments.first?.split(separator: "/").last {
        case "lab-server": LabServerCommand.main()
        case "main-app": MainAppProgram.play()
        case "app-extension": AppExtensionProgram.play()
        case "watch-companion": WatchCompanionProgram.play()
        default: LabCommand.main()
        }
    }
}
