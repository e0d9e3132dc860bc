// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import LabCore
import LabProgram

/// The operating system of one simulated device.
package struct DeviceAgentProgram: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "device-agent",
        abstract: "Plays the operating system of one simulated device in a lab instance.",
        discussion: "Started by `lab`, or by a peer that finds its device without an agent. Ends with the instance.")

    @Option(help: "Directory of the instance.")
    var instance: String

    @Option(help: "Name of the device, as the topology lists it.")
    var device: String

    package init() {}

    package static func main() {
        Program.run(Self.self) { arguments in
            AgentLaunch(arguments: arguments).map { launch in
                var program = Self()
                (program.instance, program.device) = (launch.instance, launch.device)
                return program
            }
        }
    }

    package func run() throws {
        let layout = InstanceLayout(root: instance)
        let agent = try DeviceAgent(layout: layout, manifest: try InstanceManifest.read(layout), deviceName: device)
        try agent.run()
    }
}
