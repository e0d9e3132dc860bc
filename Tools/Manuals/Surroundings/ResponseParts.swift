// SPDX-License-Identifier: Apache-2.0

/// The members of an encrypted response, taken apart by the application.
protocol EncryptedResponse {
    func getEncryptedData() -> String
    func getMac() -> String
}

extension Surroundings {
    var response: any EncryptedResponse { fatalError("the samples are only type-checked") }
}
