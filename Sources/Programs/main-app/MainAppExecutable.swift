// SPDX-License-Identifier: Apache-2.0

import AppHandlers

/// A phone's app.
@main
enum MainAppExecutable {
    static func main() { MainAppProgram.play() }
}
