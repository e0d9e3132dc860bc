// SPDX-License-Identifier: Apache-2.0

import LabPeer
import WatchAppHandlers

/// The app on the watch.
@main
enum WatchCompanionExecutable {
    static func main() { WatchCompanionProgram.play() }
}
