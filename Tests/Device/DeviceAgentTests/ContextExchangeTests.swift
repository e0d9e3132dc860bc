// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What the exchange of application contexts decides, step by step (watch.md, sections 9.5 and 11.6).
@Suite("Application contexts", .endsInTime)
struct ContextExchangeTests {
    private func sent(_ version: UInt64, _ body: Data, to app: String = "other") -> LinkEffect {
        .toPeer(WatchFrame(.context, flags: .propertyList, sequence: version, app: app, body: body))
    }

    private func arrival(_ version: UInt64, _ body: Data, app: String = "app") -> WatchFrame {
        WatchFrame(.context, flags: .propertyList, sequence: version, app: app, body: body)
    }

    private func confirmation(_ version: UInt64, app: String = "app") -> LinkEffect {
        .toPeer(WatchFrame(.contextAcknowledgement, sequence: version, app: app))
    }

    private func told(_ effects: [LinkEffect]) -> [WatchFrame] {
        effects.compactMap { if case .toApp("app", let frame) = $0 { frame } else { nil } }
    }

    @Test
    func
        `An update is stored under the next version, sent while the link is up, and unconfirmed until that is confirmed`()
    {
        var contexts = ContextExchange()
        let first = contexts.update(Data([1]), of: "app", for: "other", isUp: false)
        #expect(first == [.store(.context(app: "app", version: 1, body: Data([1])))])
        let second = contexts.update(Data([2]), of: "app", for: "other", isUp: true)
        #expect(second == [.store(.context(app: "app", version: 2, body: Data([2]))), sent(2, Data([2]))])
        #expect(contexts.unconfirmed == ["app": 2] && contexts.retransmit() == [sent(2, Data([2]))])
        for (version, app) in [(1, "other"), (3, "other"), (2, "app")] as [(UInt64, String)] {
            let foreign = WatchFrame(.contextAcknowledgement, sequence: version, app: app)
            #expect(contexts.acknowledge(foreign).isEmpty, "\(version) of \(app)")
        }
        let done = contexts.acknowledge(WatchFrame(.contextAcknowledgement, sequence: 2, app: "other"))
        #expect(done == [.store(.contextAcknowledged(app: "app", version: 2))])
        #expect(contexts.unconfirmed.isEmpty && contexts.retransmit().isEmpty)
        #expect(contexts.connect([:]).isEmpty, "what is confirmed is not sent again")
    }

    @Test func `A receiver that remembers more gets what is unconfirmed under a number that is new for it`() {
        for (heard, version) in [(0, 1), (1, 2), (7, 8)] as [(UInt64, UInt64)] {
            var contexts = ContextExchange()
            _ = contexts.update(Data([1]), of: "app", for: "other", isUp: false)
            let effects = contexts.connect(["other": heard, "app": 20])
            let stored: [LinkEffect] =
                heard == 0 ? [] : [.store(.context(app: "app", version: version, body: Data([1])))]
            #expect(effects == stored + [sent(version, Data([1]))], "heard \(heard)")
            let next = contexts.update(Data([2]), of: "app", for: "other", isUp: true)
            #expect(next.last == sent(version + 1, Data([2])))
        }
        var contexts = ContextExchange()
        _ = contexts.connect(["other": 9])
        let first = contexts.update(Data([1]), of: "app", for: "other", isUp: true)
        #expect(first.last == sent(10, Data([1])), "the first context of a device without a memory")
        _ = contexts.connect(["other": ContextExchange.greatestVersion])
        #expect(contexts.retransmit() == [sent(10, Data([1]))], "an impossible version says nothing")
        _ = contexts.connect(["other": ContextExchange.greatestVersion - 1])
        #expect(contexts.retransmit() == [sent(ContextExchange.greatestVersion, Data([1]))])
    }

    @Test
    func `A newer context is stored and confirmed, and delivered if its app is ready; an older one is only confirmed`()
        throws
    {
        var contexts = ContextExchange()
        let first = contexts.receive(arrival(2, Data([1])), canTell: false)
        #expect(
            first == [
                .store(.contextReceived(app: "app", version: 2, body: Data([1]), isTold: false)), confirmation(2),
            ])
        for version in [0, 1, 2] as [UInt64] {
            #expect(contexts.receive(arrival(version, Data([9])), canTell: true) == [confirmation(version)])
        }
        let second = contexts.receive(arrival(3, Data([2])), canTell: true)
        #expect(second.count == 3 && second[1] == confirmation(3))
        let news = try #require(told(second).first)
        #expect(news.kind == .context && news.body == Data([2]) && news.app == "app" && news.flags == .propertyList)
        #expect(contexts.told(UUID(), by: "app").isEmpty && contexts.told(news.messageId, by: "other").isEmpty)
        #expect(contexts.told(news.messageId, by: "app") == [.store(.contextTold(app: "app"))])
        #expect(contexts.told(news.messageId, by: "app").isEmpty && contexts.tell("app").isEmpty)
    }

    @Test
    func `The content that an app has is not reported again under another version; one that it has not got is`() throws
    {
        var contexts = ContextExchange()
        let news = try #require(told(contexts.receive(arrival(1, Data([1])), canTell: true)).first)
        let early = contexts.receive(arrival(2, Data([1])), canTell: true)
        #expect(told(early).count == 1, "the delegate has not confirmed the first one")
        #expect(contexts.told(news.messageId, by: "app").isEmpty, "a newer one was delivered")
        let second = try #require(told(early).first)
        #expect(contexts.told(second.messageId, by: "app").count == 1)
        let same = contexts.receive(arrival(3, Data([1])), canTell: true)
        #expect(
            same == [
                .store(.contextReceived(app: "app", version: 3, body: Data([1]), isTold: true)), confirmation(3),
            ])
        #expect(told(contexts.receive(arrival(4, Data([2])), canTell: true)).count == 1)
    }

    @Test func `A context is delivered to a process once, and again to the next one until a delegate has it`() {
        var contexts = ContextExchange()
        _ = contexts.receive(arrival(1, Data([1])), canTell: false)
        #expect(contexts.tell("other").isEmpty)
        #expect(told(contexts.tell("app")).count == 1 && contexts.tell("app").isEmpty)
        contexts.processEnded("other")
        #expect(contexts.tell("app").isEmpty)
        contexts.processEnded("app")
        #expect(told(contexts.tell("app")).count == 1)
    }

    @Test
    func `An app that activates its session gets its own context, and of a received one what a delegate has`() throws {
        var contexts = ContextExchange()
        #expect(contexts.known(by: "app").isEmpty)
        _ = contexts.update(Data([1]), of: "app", for: "other", isUp: false)
        let own = LinkEffect.toApp("app", WatchFrame(.ownContext, flags: .propertyList, app: "app", body: Data([1])))
        #expect(contexts.known(by: "app") == [own] && contexts.known(by: "other").isEmpty)
        let news = try #require(told(contexts.receive(arrival(1, Data([2])), canTell: true)).first)
        #expect(contexts.known(by: "app") == [own])
        _ = contexts.told(news.messageId, by: "app")
        let received = LinkEffect.toApp(
            "app", WatchFrame(.context, flags: [.propertyList, .retransmission], app: "app", body: Data([2])))
        #expect(contexts.known(by: "app") == [own, received])
        contexts.forget("app")
        #expect(contexts.known(by: "app").isEmpty && contexts.unconfirmed.isEmpty && contexts.tell("app").isEmpty)
        let next = contexts.update(Data([3]), of: "app", for: "other", isUp: true)
        #expect(next.last == sent(2, Data([3])), "the versions continue")
        #expect(contexts.receive(arrival(1, Data([4])), canTell: true) == [confirmation(1)])
        #expect(
            contexts.receive(arrival(2, Data([2])), canTell: true).count == 3, "the next installation does not have it")
    }
}
