// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WultraPowerAuthNetworking

/// The context that the networking manual's samples assume; nothing here is ever run.
struct Surroundings {
    private func given<Value>() -> Value { fatalError("the samples are only type-checked") }

    var myPowerAuthInstance: PowerAuthSDK { given() }
    var powerAuth: PowerAuthSDK { given() }
    var networking: WPNNetworkingService { given() }
}

/// Payload of an application's request.
struct MyEndpointDataRequest: Codable {
    let value: String
}

/// Payload of its server's answer.
struct MyEndpointDataResponse: Codable {
    let value: String
}
