// SPDX-License-Identifier: Apache-2.0

import AppHandlers
import LabPeer

/// An app extension.
@main
enum AppExtensionExecutable {
    static func main() { AppExtensionProgram.play() }
}
