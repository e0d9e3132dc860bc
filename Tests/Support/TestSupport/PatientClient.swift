// SPDX-License-Identifier: Apache-2.0

import LabCore
public import PowerAuthShared

extension PowerAuthClientConfiguration {
    /// A new configuration without the original's limit of 20 s, which a right answer can miss on a busy machine.
    public static var patient: PowerAuthClientConfiguration {
        let configuration = PowerAuthClientConfiguration()
        configuration.defaultRequestTimeout = LabDuration.minutes(10).stretched.seconds
        return configuration
    }
}
