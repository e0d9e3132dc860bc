import CFNetwork
import Foundation
import LabKit
import NetworkFramework
import Synchronization
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("How a device reaches the network", .endsInTime)
struct NetworkTests {
    @Test("A new device is in a wireless network; what one process sets is what the others see")
    func shared() throws {
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
        "A path reports the usable interfaces",
        arguments: [
            (NetworkConnection.wifi, NWInterface.InterfaceType?.some(.wifi), false), (.cellular, .cellular, true),
            (.wired, .wiredEthernet, false), (.none, nil, false),
        ])
    func paths(connection: NetworkConnection, type: NWInterface.InterfaceType?, isExpensive: Bool) {
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

    @Test("A monitor reports the path at its start and after each change, on its queue, until it is cancelled")
    func monitor() async throws {
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

    @Test("A process that is on no device has no network")
    func nowhere() {
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

    @Test("The errors of CFNetwork have Apple's numbers")
    func errors() {
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
    @Test("It describes the simulated app through every interface of Foundation")
    func identity() throws {
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
