// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WultraMobileTokenSDK

/// Stands for a value that a real application would have; nothing here is ever run.
private func given<Value>() -> Value { fatalError("the samples are only type-checked") }

// The context that declarations of the Mobile Token manual assume: the services that an application has made.
var powerAuth: PowerAuthSDK { given() }
var operationService: any WMTOperations { given() }
var operationsService: any WMTOperations { given() }
var pushService: any WMTPush { given() }

/// The context that statements of the manual assume.
struct Surroundings {
    var config: WMTConfig { given() }
    var code: String { given() }
}
