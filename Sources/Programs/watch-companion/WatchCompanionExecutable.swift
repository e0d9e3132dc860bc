// SPDX-License-Identifier: Apache-2.0

import WatchAppHandlers

/// The app on the watch.
@main
enum WatchCompanionExecutable {
    static func main() { WatchCompanionProgram.play() }
}
