// SPDX-License-Identifier: Apache-2.0

import PowerAuth2ForExtensions

/// The context that the samples of the manual for extensions assume: the extension's own objects and two names of
/// Apple's frameworks.
///
/// A structure, because samples name its members in escaping closures without `self`.
struct Surroundings {
    var this: Extension { fatalError("the samples are only type-checked") }
    var token: PowerAuthToken { fatalError("the samples are only type-checked") }
}

/// An extension that has made its SDK object.
struct Extension {
    let powerAuthExt: PowerAuthExtensionSDK
}

/// A controller of Apple's user interface.
class UIViewController {
    func viewDidLoad() {}
}

/// What a widget promises to the system.
protocol NCWidgetProviding {}
