// SPDX-License-Identifier: Apache-2.0

import PowerAuthServer

/// The server.
@main
enum LabServerExecutable {
    static func main() { LabServerCommand.main() }
}
