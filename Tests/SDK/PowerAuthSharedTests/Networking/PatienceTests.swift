// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LabControl
import LabCore
import LabHTTP
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthShared

@Suite("The limit of a request", .endsInTime)
struct PatienceTests {
    private final class Exchange: HTTPExchange, Sendable {
        private let cancelled = Mutex(false)

        var isCancelled: Bool { cancelled.withLock { $0 } }

        func cancel() { cancelled.withLock { $0 = true } }
    }

    private let device: TemporaryDevice
    private let timer: DeviceTimer

    init() throws {
        device = try TemporaryDevice()
        try device.clock.freeze()
        timer = try device.sandbox().timer
    }

    /// Five seconds pass, and what was due has happened.
    private func wait() throws {
        let due = DispatchSemaphore(value: 0)
        _ = timer.schedule(after: 5) { due.signal() }
        try device.clock.advance(by: .seconds(5))
        due.wait()
    }

    @Test func `An exchange is cancelled at its timeout, also if that was before it began`() throws {
        let patience = Patience()
        patience.begin(limit: 5, timer: timer)
        let exchange = Exchange()
        patience.hold(exchange)
        #expect(!patience.isOver && !exchange.isCancelled)
        try wait()
        #expect(patience.isOver && exchange.isCancelled)
        let late = Exchange()
        patience.hold(late)
        #expect(late.isCancelled)
    }

    @Test func `An exchange that has ended in time is not given up afterwards`() throws {
        let patience = Patience()
        patience.begin(limit: 5, timer: timer)
        let exchange = Exchange()
        patience.hold(exchange)
        patience.end()
        try wait()
        #expect(!patience.isOver && !exchange.isCancelled)
    }

    @Test func `An exchange that has ended before its time began, or before it was named, is not given up`() throws {
        let patience = Patience()
        patience.end()
        patience.begin(limit: 5, timer: timer)
        let exchange = Exchange()
        patience.hold(exchange)
        try wait()
        #expect(!patience.isOver && !exchange.isCancelled)
    }

    @Test func `An exchange is given up once, also when it ends while that happens`() throws {
        let patience = Patience()
        patience.begin(limit: 5, timer: timer)
        try wait()
        patience.end()
        patience.end()
        let exchange = Exchange()
        patience.hold(exchange)
        #expect(patience.isOver && !exchange.isCancelled)
    }
}
