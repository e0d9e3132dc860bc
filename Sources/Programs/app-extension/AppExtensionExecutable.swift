// SPDX-License-Identifier: Apache-2.0

import AppHandlers

/// An app extension.
@main
enum AppExtensionExecutable {
    static func main() { AppExtensionProgram.play() }
}
