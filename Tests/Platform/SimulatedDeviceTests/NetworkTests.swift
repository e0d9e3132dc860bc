// SPDX-License-Identifier: Apache-2.0

import CFNetwork
import Foundation
import LabControl
import NetworkFramework
import Synchronization
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("How a device reaches the network", .endsInTime)
struct NetworkTests {
    @Test func `A new device is in a wireless network; what one process sets is what the others see`() throws {
        let device = try TemporaryDevice()
        let (mine, others) = (try device.sandbox(), try device.sandbox(name: "other", bundleIdentifier: "com.other"))
        #expect(mine.connectivity.connection == .wifi && mine.connectivity.isOnline)
        for connection in NetworkConnection.allCases {
            others.connectivity.set(connection)
            #expect(mine.connectivity.connection == connection)
            #expect(mine.connectivity.isOnline == (connection != .none))
        }
    }

    @Test(
        arguments: [
            (NetworkConnection.wifi, NWInterface.InterfaceType?.some(.wifi), false), (.cellular, .cellular, true),
            (.wired, .wiredEthernet, false), (.none, nil, false),
        ])
    func `A path reports the usable interfaces`(
        connection: NetworkConnection, type: NWInterface.InterfaceType?, isExpensive: Bool
    ) {
        let path = NWPath(connection)
        #expect(path.status == (type == nil ? .unsatisfied : .satisfied))
        #expect(path.availableInterfaces.map(\.type) == [type].compactMap(\.self))
        #expect(path.isExpensive == isExpensive && !path.isConstrained)
        for other in [NWInterface.InterfaceType.wifi, .cellular, .wiredEthernet, .loopback, .other] {
            #expect(path.usesInterfaceType(other) == (other == type))
        }
        #expect(NWPath(connection, required: .cellular).status == (type == .cellular ? .satisfied : .unsatisfied))
        #expect(NWPath(connection, prohibited: [.wifi]).usesInterfaceType(.wifi) == false)
    }

    @Test
    func `A monitor reports the path at its start and after each change, on its queue, until it is cancelled`()
        async throws
    {
        let device = try TemporaryDevice()
        let (mine, others) = (try device.sandbox(), try device.sandbox(name: "other", bundleIdentifier: "com.other"))
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "paths")
        queue.setSpecific(key: key, value: true)
        let monitor = NWPathMonitor(mine.connectivity)
        let (paths, told) = AsyncStream<NWPath>.makeStream()
        monitor.pathUpdateHandler = { path in
            #expect(DispatchQueue.getSpecific(key: key) == true)
            told.yield(path)
        }
        #expect(monitor.queue == nil && monitor.currentPath.status == .satisfied)
        monitor.start(queue: queue)
        var iterator = paths.makeAsyncIterator()
        #expect(await iterator.next()?.usesInterfaceType(.wifi) == true)
        for (connection, status) in [(NetworkConnection.none, NWPath.Status.unsatisfied), (.cellular, .satisfied)] {
            others.connectivity.set(connection)
            #expect(await iterator.next()?.status == status)
            #expect(monitor.currentPath.status == status)
        }
        monitor.cancel()
        monitor.start(queue: queue)
        others.connectivity.set(.none)
        // A second monitor was notified, so the first one would have been.
        let second = NWPathMonitor(mine.connectivity)
        let isOffline: Bool = await callback { report in
            second.pathUpdateHandler = { path in report(path.status == .unsatisfied) }
            second.start(queue: queue)
        }
        second.cancel()
        queue.sync { told.finish() }
        #expect(isOffline)
        #expect(await iterator.next() == nil)
    }

    @Test func `An observer hears of each change until its observation is cancelled or no longer kept`() throws {
        let sandbox = try Sandbox.temporary()
        let connectivity = sandbox.connectivity
        let (cancelled, dropped, kept) = (
            Recorder<NetworkConnection>(), Recorder<NetworkConnection>(), Recorder<NetworkConnection>()
        )
        let first = connectivity.onChange { cancelled.add($0) }
        _ = connectivity.onChange { dropped.add($0) }
        // Observers are called in the order in which they came, so the last one hears last.
        let last = connectivity.onChange { kept.add($0) }
        connectivity.set(.cellular)
        try kept.wait(for: .cellular)
        for _ in 1...2 { first.cancel() }
        connectivity.set(.wired)
        try kept.wait(for: .wired)
        #expect(kept.all == [.cellular, .wired] && cancelled.all == [.cellular] && dropped.all.isEmpty)
        last.cancel()
        // Without an observer no thread watches; the next one starts it again.
        let next = connectivity.onChange { dropped.add($0) }
        connectivity.set(.none)
        try dropped.wait(for: .none)
        #expect(kept.all == [.cellular, .wired] && cancelled.all == [.cellular] && dropped.all == [.none])
        next.cancel()
    }

    @Test func `A process that is on no device has no network`() {
        let monitors = [
            NWPathMonitor(), NWPathMonitor(requiredInterfaceType: .wifi),
            NWPathMonitor(prohibitedInterfaceTypes: [.cellular]),
        ]
        for monitor in monitors {
            #expect(monitor.currentPath.status == .unsatisfied)
            let wasSet = monitor.pathUpdateHandler != nil
            monitor.pathUpdateHandler = { _ in }
            let isSet = monitor.pathUpdateHandler != nil
            #expect(!wasSet && isSet)
        }
    }

    @Test func `The errors of CFNetwork have Apple's numbers`() {
        #expect(CFNetworkErrors.cfurlErrorNotConnectedToInternet.rawValue == -1009)
        #expect(CFNetworkErrors.cfurlErrorCannotLoadFromNetwork.rawValue == -2000)
        #expect(CFNetworkErrors.cfNetServiceErrorDNSServiceFailure.rawValue == -73000)
        #expect(kCFErrorDomainCFNetwork == "kCFErrorDomainCFNetwork")
        // Where Foundation has a name for the number too.
        let known = CFNetworkErrors.allCases.compactMap { URLError.Code(rawValue: Int($0.rawValue)) }
        #expect(known.contains(.serverCertificateUntrusted) && known.contains(.timedOut))
    }
}

@Suite("The main bundle of a process", .endsInTime)
struct MainBundleTests {
    @Test func `It describes the simulated app through every interface of Foundation`() throws {
        let sandbox = try Sandbox.temporary()
        #expect(MainBundle.adopt(sandbox))
        #expect(Bundle.main.bundleIdentifier == "com.example.main")
        for (key, value) in MainBundle.information(of: sandbox) {
            #expect(Bundle.main.infoDictionary?[key] as? String == value)
            #expect(Bundle.main.object(forInfoDictionaryKey: key) as? String == value)
        }
        #expect(Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String == "1.0")
        #expect(Bundle.main.infoDictionary?["CFBundleName"] as? String == "main")
    }
}
