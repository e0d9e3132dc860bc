// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import SimulatedDevice

/// The files of a device that its processes share: made by the first that needs them, kept by all others.
@Suite("The shared files of a device", .endsInTime)
struct DeviceFilesTests {
    private let device: TemporaryDevice
    /// A device of which no process has made anything yet.
    private let spec = DeviceSpec(name: "fresh", kind: .phone, biometry: .touchID, clockSkewMilliseconds: 5, apps: [])

    init() throws { device = try TemporaryDevice() }

    private var directory: String { device.layout.deviceDirectory(spec.name) }

    @Test func `Each of them makes the directory of a device that has none yet`() throws {
        let layout = device.layout
        let makers: [(String, () throws -> Void)] = [
            ("security", { _ = try DeviceSecurity(layout: layout, device: spec) }),
            ("connectivity", { _ = try DeviceConnectivity(layout: layout, device: spec) }),
            ("disk", { _ = try DeviceDisk(layout: layout, device: spec.name) }),
            (
                "clock",
                {
                    _ = try DeviceClock(layout: layout, device: spec.name, clock: device.clock, initialSkew: 7)
                }
            ), ("registry", { _ = try DeviceRegistry(layout: layout, device: spec.name).beginBoot() }),
            (
                "home",
                { _ = try DeviceRegistry(layout: layout, device: spec.name).container(ofApp: "com.example.main") }
            ),
        ]
        for (name, make) in makers {
            #expect(!Files.exists(directory), "\(name)")
            #expect(throws: Never.self, "\(name)") { try make() }
            #expect(throws: Never.self, "\(name) again") { try make() }
            try Files.removeTree(directory)
        }
    }

    @Test
    func `The state of protection is made once, with the sensor of the device, also when one of its files is missing`()
        throws
    {
        let first = try DeviceSecurity(layout: device.layout, device: spec)
        #expect(first.state == SecurityState(hardware: .touchID) && first.prompt == nil)
        try first.changeState { try $0.enrol() }
        try first.answer(.cancel, times: 2)
        let second = try DeviceSecurity(layout: device.layout, device: spec)
        #expect(second.record == first.record && second.state.enrolment == 1 && second.record.answers.count == 2)
        try Files.remove(directory + "/security.changes")
        #expect(try DeviceSecurity(layout: device.layout, device: spec).record == first.record)
        try Files.remove(directory + "/security.json")
        let third = try DeviceSecurity(layout: device.layout, device: spec)
        #expect(third.state == SecurityState(hardware: .touchID) && third.record.answers.isEmpty)
    }

    @Test
    func `A change that makes nothing different wakes no thread and writes no file; one that throws has no effect`()
        throws
    {
        let security = try DeviceSecurity(layout: device.layout, device: spec)
        let count = security.changeCount
        try security.changeState { $0.removeEnrolled() }
        try security.answer(.success, times: 0)
        try security.answer(.success, times: -1)
        try security.cancelPrompt()
        #expect(security.changeCount == count)
        #expect(throws: DeviceStateError.self) {
            try security.changeState { state in
                state.lock()
                try state.alter()
            }
        }
        #expect(!security.state.isLocked && security.changeCount == count)
        try security.changeState { $0.lock() }
        #expect(security.state.isLocked && security.changeCount != count)
        #expect(try security.changeState { $0.isLocked })
    }

    @Test
    func
        `When all apps have ended, the dialog, the answers and the animation are gone; what protects the device stays`()
        throws
    {
        let security = try DeviceSecurity(layout: device.layout, device: spec)
        try security.changeState { try $0.enrol() }
        let prompt = AuthenticationPrompt(
            id: "1", app: "main", pid: 1, reason: "r", fallbackTitle: nil, allowsPasscode: false)
        try security.change { record in
            record.prompt = prompt
            record.answers = [.success]
            record.animationEnds = 5
        }
        try security.cancelPrompt(ofApp: "wallet")
        #expect(security.prompt == prompt)
        try security.closeEverything()
        #expect(security.prompt == nil && security.record.answers.isEmpty && security.record.animationEnds == nil)
        #expect(security.state.enrolment == 1)
        try security.change { $0.prompt = prompt }
        try security.cancelPrompt()
        #expect(security.prompt == nil)
    }

    @Test func `The first process decides how far the clock of a device is off, and all see a change`() throws {
        try device.clock.freeze()
        func open(_ skew: Int64) throws -> DeviceClock {
            try DeviceClock(layout: device.layout, device: spec.name, clock: device.clock, initialSkew: skew)
        }
        let (first, second) = (try open(7), try open(9))
        #expect(first.skewMilliseconds == 7 && second.skewMilliseconds == 7)
        second.setSkew(milliseconds: -8)
        #expect(first.skewMilliseconds == -8)
        let lab = device.clock.now()
        #expect(first.currentTimeMillis == lab.milliseconds - 8)
        #expect(abs(first.now().timeIntervalSince1970 - (lab.seconds - 0.008)) < 0.000_1)
    }

    @Test func `A device counts its starts, and keeps containers and the vendor's identifier across them`() throws {
        let registry = DeviceRegistry(layout: device.layout, device: spec.name)
        #expect(try registry.boot() == 0 && registry.beginBoot() == 1 && registry.beginBoot() == 2)
        #expect(try registry.boot() == 2)
        let (app, group) = (try registry.container(ofApp: "a"), try registry.container(ofGroup: "a"))
        #expect(app != group && Files.exists(app) && Files.exists(group))
        #expect(app.hasPrefix(device.layout.appsDirectory(spec.name) + "/"))
        #expect(group.hasPrefix(device.layout.groupsDirectory(spec.name) + "/"))
        let later = DeviceRegistry(layout: device.layout, device: spec.name)
        #expect(try later.container(ofApp: "a") == app && later.container(ofApp: "b") != app)
        #expect(try later.container(ofGroup: "a") == group && later.existingContainer(ofGroup: "a") == group)
        #expect(try later.existingContainer(ofGroup: "b") == nil)
        let vendor = try registry.vendorIdentifier(team: "t")
        #expect(try later.vendorIdentifier(team: "t") == vendor && later.vendorIdentifier(team: "u") != vendor)
        try Files.removeTree(group)
        #expect(try registry.existingContainer(ofGroup: "a") == nil)
    }

    @Test
    func
        `With an app its containers go, those of a group with its last app, and the vendor's identifier with all apps`()
        throws
    {
        func app(_ name: String, groups: [String]) -> AppSpec {
            AppSpec(
                name: name, kind: .app, bundleIdentifier: "com.\(name)", appGroups: groups,
                powerAuth: PowerAuthSpec(sdk: .full, instanceId: "i"))
        }
        let (main, wallet) = (app("main", groups: ["g", "own"]), app("wallet", groups: ["g"]))
        var spec = spec
        spec.apps = [main, wallet]
        let registry = DeviceRegistry(layout: device.layout, device: spec.name)
        _ = try registry.beginBoot()
        let vendor = try registry.vendorIdentifier(team: "t")
        let home = try registry.container(ofApp: "com.main")
        let (shared, own) = (try registry.container(ofGroup: "g"), try registry.container(ofGroup: "own"))
        for bundle in ["com.main", "com.wallet"] { try registry.setComplication(bundle, isShown: true) }
        try registry.uninstall([main], from: spec)
        #expect(try !registry.isInstalled("com.main") && registry.isInstalled("com.wallet"))
        #expect(!Files.exists(home) && !Files.exists(own) && Files.exists(shared))
        #expect(try !registry.hasComplication("com.main") && registry.hasComplication("com.wallet"))
        #expect(try registry.vendorIdentifier(team: "t") == vendor)
        try registry.uninstall([wallet], from: spec)
        #expect(!Files.exists(shared))
        try registry.install("com.main")
        #expect(try registry.isInstalled("com.main") && !registry.isInstalled("com.wallet"))
        #expect(try registry.vendorIdentifier(team: "t") != vendor && registry.container(ofApp: "com.main") != home)
        try registry.setActiveLink("l")
        try registry.setPaired("l", false)
        try registry.erase()
        #expect(try registry.boot() == 1 && registry.isInstalled("com.wallet") && registry.activeLink() == nil)
        #expect(try registry.isPaired("l") && !Files.exists(device.layout.appsDirectory(spec.name)))
    }

    @Test func `A choice of the user about watches and complications is kept until it is taken back`() throws {
        let registry = DeviceRegistry(layout: device.layout, device: spec.name)
        #expect(try registry.activeLink() == nil && registry.isPaired("a") && !registry.hasComplication("a"))
        for isOn in [true, false] {
            try registry.setPaired("a", !isOn)
            try registry.setComplication("a", isShown: isOn)
            let later = DeviceRegistry(layout: device.layout, device: spec.name)
            #expect(try later.isPaired("a") == !isOn && later.hasComplication("a") == isOn)
            #expect(try later.isPaired("b") && !later.hasComplication("b"))
        }
        try registry.setActiveLink("b")
        #expect(try registry.activeLink() == "b")
    }
}
