// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Surroundings {
    /// The body of an encrypted response.
    var responseBody: Data { fatalError("the samples are only type-checked") }
}
