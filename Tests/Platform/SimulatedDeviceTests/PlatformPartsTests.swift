// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import Synchronization
import TestSupport
import Testing

@testable import SimulatedDevice

/// Small parts of the simulated device by themselves.
@Suite("Parts of the simulated device", .endsInTime)
struct PlatformPartsTests {
    @Test func `A file is named by the last part of its path, if that can be a file's name`() {
        let longest = String(repeating: "x", count: 255)
        let rows: [(String, String?)] = [
            ("a", "a"), ("/x/a.bin", "a.bin"), ("x/../a", "a"), (".a", ".a"), ("...", "..."),
            ("/x/\(longest)", longest),
            ("/x/\(longest)y", nil), ("", nil), ("/", nil), ("a/", nil), ("x/.", nil), ("x/..", nil), ("x/a\0b", nil),
        ]
        for (path, name) in rows { #expect(WatchFile(path: path, size: 0).name == name, "\(path)") }
        #expect(WatchFile.limit == 16_777_216)
    }

    @Test func `The content of a transfer survives its frame`() {
        let contents: [TransferContent] = [
            .userInfo(Data([1]), isComplication: false), .userInfo(Data([2]), isComplication: true),
            .file(WatchFile(path: "/x/a", size: 3, metadata: Data([4]))),
        ]
        for content in contents {
            let frame = WatchFrame(.deliver, flags: content.flags.union(.retransmission), body: content.body)
            #expect(TransferContent(frame) == content)
        }
        #expect(contents.map(\.flags.rawValue) == [2, 18, 8])
        #expect(TransferContent(WatchFrame(.deliver, flags: .file, body: Data([1]))) == nil)
    }

    @Test
    func `A frame keeps its content with every value in every field, and the name of an app up to 255 bytes`() throws {
        let id = UUID()
        for name in ["", "a", String(repeating: "x", count: 255)] {
            let frame = WatchFrame(
                .notification, flags: WatchFrame.Flags(rawValue: 0xFF), messageId: id, correlationId: UUID(),
                epoch: .max, sequence: UInt64.max - 1, timeToLive: .max, app: name, body: Data(Array(0...UInt8.max)))
            #expect(try WatchFrame(parts: frame.parts) == frame)
        }
        let long = WatchFrame(.live, app: String(repeating: "x", count: 256))
        #expect(try WatchFrame(parts: long.parts).app.count == 255)
        #expect(WatchFrame(.live) == WatchFrame(.live, messageId: WatchFrame.none, correlationId: WatchFrame.none))
        let texts: [(WatchFrame.Malformed, String)] = [
            (.notAFrame, "it is not a message of the link"), (.damaged, "it was changed on the way"),
            (.version(2), "it has the unsupported version 2"), (.unknownKind(9), "it has the unknown type 9"),
            (.bodyLength, "its length is not the one it states"),
        ]
        for (reason, text) in texts { #expect(reason.description == text) }
    }

    @Test func `A confirmation holds for five minutes, and none is remembered once the context is invalid`() throws {
        let context = AuthenticationContext(service: nil)
        func isConfirmed(at time: Int64) -> Bool { context.grant(at: time) != nil }
        #expect(AuthenticationContext.validity == 300_000_000_000 && AuthenticationService.animation == 1_000_000_000)
        #expect(!isConfirmed(at: 0))
        context.remember(.biometry(enrolment: 4), at: 10)
        #expect(isConfirmed(at: 10) && isConfirmed(at: 300_000_000_009) && !isConfirmed(at: 300_000_000_010))
        guard case .biometry(enrolment: 4)? = context.grant(at: 10)
        else { throw Unexpected("another confirmation than the one that was remembered") }
        context.invalidate()
        #expect(context.isInvalid && !isConfirmed(at: 10))
        context.remember(.passcode, at: 20)
        #expect(!isConfirmed(at: 20))
    }

    @Test func `A context has the texts and the permission that its app gives it`() {
        let context = AuthenticationContext(service: nil)
        #expect(context.reason.isEmpty && context.fallbackTitle == nil && context.isInteractionAllowed)
        context.reason = "r"
        context.fallbackTitle = "f"
        context.isInteractionAllowed = false
        #expect(context.reason == "r" && context.fallbackTitle == "f" && !context.isInteractionAllowed)
    }

    @Test func `A request to the system is answered once; news go to the first receiver that handles them`() throws {
        let log = Recorder<String>()
        let service = NotificationService()
        service.ask(.settings) { log.add("\($0 == .refused("The process is on no device."))") }
        service.tell(.unregister)
        #expect(log.takeAll() == ["true"])
        let asked = Mutex<[UUID]>([])
        service.connect { id, request in
            asked.withLock { $0.append(id) }
            log.add("\(request)")
        }
        service.ask(.settings) { log.add("answer \($0 == .done)") }
        let id = try #require(asked.withLock { $0.first })
        service.take(.done, to: UUID())
        service.take(.done, to: id)
        service.take(.done, to: id)
        #expect(log.takeAll() == ["settings", "answer true"])
        for (name, isHandled) in [("first", false), ("second", true), ("third", true)] {
            service.onNews { _ in
                log.add(name)
                return isHandled
            }
        }
        service.take(.background(DeviceNotification(id: "1", payload: [:], date: 0)))
        #expect(log.takeAll() == ["first", "second"])
    }

    @Test func `A preference keeps its type in the file; what no app can store is not read`() {
        let rows: [(PreferenceValue, JSONValue)] = [
            (.bool(true), true), (.integer(-7), -7), (.number(0.5), 0.5), (.text("t"), "t"),
            (.propertyList(Data([1])), ["propertyList": "AQ=="]),
        ]
        for (value, json) in rows { #expect(value.json == json && PreferenceValue(json) == value) }
        for json in [nil, [], [:], ["propertyList": "?"], .unsigned(.max)] as [JSONValue] {
            #expect(PreferenceValue(json) == nil, "\(json)")
        }
    }

    @Test func `An app's groups are those of its team, its own and its app groups; the first is the default`() {
        let app = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.a", appGroups: ["group.a"],
            keychainAccessGroups: ["OTHER.x", "TEAM.y", "TEAMS.z"],
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: "i"))
        let identity = AppIdentity(app: app, team: "TEAM")
        #expect(identity.keychainAccessGroups == ["TEAM.y", "TEAM.com.a", "group.a"])
        #expect(identity.ownAccessGroup == "TEAM.com.a" && identity.defaultAccessGroup == "TEAM.y")
        #expect(identity.name == "main" && identity.bundleIdentifier == "com.a" && identity.team == "TEAM")
        for (platform, name) in [("ios", "iOS"), ("watchos", "watchOS")] {
            let device = DeviceInformation(model: "m", platform: platform, osVersion: "1", vendor: { "v" })
            #expect(device.systemName == name && device.vendorIdentifier == "v")
        }
    }
}
