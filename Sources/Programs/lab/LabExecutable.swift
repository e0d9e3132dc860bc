// SPDX-License-Identifier: Apache-2.0

import AppHandlers
import DeviceAgent
import PowerAuthServer
import WatchAppHandlers

/// All programs of the lab in one file, which plays the one by whose name it was started.
///
/// An installation has one file with six names: the programs share most of their code, above all the Swift runtime. Each
/// is an executable of its own, too, which links only what it needs.
@main
enum LabExecutable {
    static func main() {
        switch CommandLine.arguments.first?.split(separator: "/").last {
        case "lab-server": LabServerCommand.main()
        case "device-agent": DeviceAgentProgram.main()
        case "main-app": MainAppProgram.play()
        case "app-extension": AppExtensionProgram.play()
        case "watch-companion": WatchCompanionProgram.play()
        default: LabCommand.main()
        }
    }
}
