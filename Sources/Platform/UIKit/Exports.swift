// SPDX-License-Identifier: Apache-2.0

// On Apple's platforms UIKit hands on Foundation, which shows what CFNetwork and CoreFoundation declare.
@_exported public import CFNetwork
@_exported public import Foundation

// The type of `UserDefaults.standard`: an app uses its members without an import of the simulated device.
@_exported public import class SimulatedDevice.DeviceUserDefaults
// Foundation has it on Apple's platforms.
@_exported public import typealias SimulatedDevice.OSStatus
