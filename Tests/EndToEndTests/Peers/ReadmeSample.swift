// SPDX-License-Identifier: Apache-2.0

import LabTesting
import Testing

@Test(.lab()) func `The wallet sees the activation`() async throws {
    let lab = try Lab.current
    let code = try await lab.server.call(InitActivation { $0.userId = "alice" })
    try await lab.main.call(CreateActivation { $0.activationCode = code.activationCode })
    try await lab.main.call(PersistActivation { $0.password = "1234" })
    #expect(try await lab.wallet.call(HasValidActivation()))
}
