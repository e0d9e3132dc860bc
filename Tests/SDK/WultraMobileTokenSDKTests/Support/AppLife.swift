// SPDX-License-Identifier: Apache-2.0

import UIKit

/// The notifications of an app's life.
enum AppLife {
    static let willResignActive = UIApplication.willResignActiveNotification
    static let didBecomeActive = UIApplication.didBecomeActiveNotification
}
