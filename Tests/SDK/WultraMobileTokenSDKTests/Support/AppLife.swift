// SPDX-License-Identifier: Apache-2.0

// Apart from the tests: Swift looks for an overlay of Apple's where a file imports both Testing and UIKit.
import UIKit

/// The notifications of an app's life.
enum AppLife {
    static let willResignActive = UIApplication.willResignActiveNotification
    static let didBecomeActive = UIApplication.didBecomeActiveNotification
}
