// SPDX-License-Identifier: Apache-2.0

import DeviceAgent

/// The operating system of one simulated device.
@main
enum DeviceAgentExecutable {
    static func main() { DeviceAgentProgram.main() }
}
