// SPDX-License-Identifier: Apache-2.0

import AppHandlers
import LabPeer

/// A phone's app.
@main
enum MainAppExecutable {
    static func main() { MainAppProgram.play() }
}
