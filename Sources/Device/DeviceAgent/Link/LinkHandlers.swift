// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

/// What a command about a link acts on.
struct LinkTarget {
    let agent: DeviceAgent
    let link: LinkHost
}

/// The commands about a link: its range, its faults, and the look at its state.
extension DeviceAgent {
    static let linkCommands: CommandDispatcher<LinkTarget> = {
        var table = CommandDispatcher<LinkTarget>(of: .link, errors: ControlError.ofDevice)
        table.answer(LinkDown.self) { _, target in target.link.collect(.range(isInRange: false)) }
        table.answer(LinkUp.self) { _, target in target.link.collect(.range(isInRange: true)) }
        addWatchHandlers(to: &table)
        addFaultHandlers(to: &table)
        return table
    }()

    private static func addFaultHandlers(to table: inout CommandDispatcher<LinkTarget>) {
        table.answer(SlowMessages.self) { fault, target in
            target.link.arm(
                .slow(by: fault.by, jitter: fault.jitter, rate: fault.rate),
                LinkFault.Aim(kind: fault.kind, skip: fault.skip, times: fault.times), fault.direction)
        }
        table.answer(DropMessages.self) { fault, target in
            target.link.arm(.drop(burst: fault.burst), LinkFault.Aim(fault), fault.direction)
        }
        table.answer(DuplicateMessages.self) { fault, target in
            target.link.arm(.duplicate, LinkFault.Aim(fault), fault.direction)
        }
        table.answer(ReorderMessages.self) { fault, target in
            target.link.arm(.reorder, LinkFault.Aim(fault), fault.direction)
        }
        table.answer(CorruptMessages.self) { fault, target in
            target.link.arm(.corrupt(byte: fault.byte), LinkFault.Aim(fault), fault.direction)
        }
        table.answer(CutLink.self) { fault, target in target.link.arm(.cut, LinkFault.Aim(), fault.direction) }
        table.answer(HealTraffic.self) { arguments, target in try target.link.heal(arguments.id) }
        table.answer(ListTrafficFaults.self) { _, target in target.link.armedFaults }
    }

    static func addLinkHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(InspectLink.self) { arguments, agent in
            let known = agent.links.map(\.name)
            if let wanted = arguments.link, !known.contains(wanted) {
                throw ControlError.badArgument(
                    "`\(wanted)` is not a link of \(agent.device.name); "
                        + (known.isEmpty ? "it has none" : "known are \(known.joined(separator: ", "))"))
            }
            return agent.links.filter { arguments.link == nil || $0.name == arguments.link }
                .map { $0.inspected(listing: arguments.list) }
        }
    }
}

/// A command whose fault can hit some messages and spare others, by number or by chance.
private protocol AimedFaultCommand {
    var kind: LinkMessageKind? { get }
    var chance: Double { get }
    var every: Int { get }
    var skip: Int { get }
    var times: Int? { get }
}

extension DropMessages: AimedFaultCommand {}
extension DuplicateMessages: AimedFaultCommand {}
extension ReorderMessages: AimedFaultCommand {}
extension CorruptMessages: AimedFaultCommand {}

extension LinkFault.Aim {
    fileprivate init(_ command: some AimedFaultCommand) {
        self.init(
            kind: command.kind, chance: command.chance, every: command.every, skip: command.skip, times: command.times)
    }
}

/// The state of this end of the link for inspection: the place of each entry, never its content.
extension LinkHost {
    /// - Parameter limit: how many transfers of a queue are listed.
    fileprivate func inspected(listing limit: Int) -> InspectLink.End {
        let now = clock.now().nanoseconds
        return InspectLink.End {
            $0.link = name
            $0.peer = link.setup.peer
            $0.isUp = link.isUp
            $0.isInRange = link.setup.isWatch ? nil : link.isInRange
            $0.unanswered = link.heartbeat.unanswered
            $0.lastContact = lastContact.map { Int((now - $0) / 1_000_000) }
            $0.apps = link.inspectedApps
            $0.conditions = conditions
            $0.outbox = link.outbox.inspected(listing: limit)
            $0.inbox = link.inbox.inspected(listing: limit)
            $0.untold = link.finished.waiting().map { transfer in
                InspectLink.Ended {
                    $0.id = transfer.transferId.uuidString
                    $0.app = transfer.app
                    $0.code = transfer.code
                }
            }
            $0.contexts = link.contexts.inspected
            $0.messages = link.live.pending.map { pending in
                InspectLink.Message {
                    $0.id = pending.id.uuidString
                    $0.app = pending.app
                    $0.isOwn = pending.isOwn
                    $0.state = pending.state
                    $0.timeLeft = pending.deadline.map { Int(($0 - now) / 1_000_000) }
                }
            }
        }
    }

    private var conditions: [InspectLink.Condition] {
        air.courses.map { course in
            InspectLink.Condition {
                $0.id = course.fault.id
                $0.fault = course.fault.word
                $0.direction = course.fault.direction
                $0.effect = course.fault.description
                $0.matched = course.matched
                $0.fired = course.fired
                $0.held = air.count(course.fault.direction)
            }
        }
    }
}

extension WatchLink {
    fileprivate var inspectedApps: [InspectLink.App] {
        setup.counterparts.sorted { $0.key < $1.key }.map { app, counterpart in
            let presence = apps[app] ?? AppPresence()
            let state = state(for: app)
            return InspectLink.App {
                $0.app = app
                $0.counterpart = counterpart
                $0.isAttached = presence.isAttached
                $0.isActivated = presence.isActivated
                $0.isForeground = presence.isForeground
                $0.isCounterpartInstalled = state.isCounterpartInstalled
                $0.isReachable = state.isReachable
            }
        }
    }
}

extension Outbox {
    fileprivate func inspected(listing limit: Int) -> InspectLink.Outbox {
        let entries = entries
        return InspectLink.Outbox {
            $0.sent = entries.prefix { $0.sequence != nil }.count
            $0.waiting = entries.count - $0.sent
            $0.confirmed = acknowledged
            $0.transfers = entries.prefix(limit).map { entry in
                InspectLink.Transfer {
                    $0.id = entry.transferId.uuidString
                    $0.app = entry.origin.isEmpty ? nil : entry.origin
                    $0.state = entry.endCode != nil ? .ended : entry.sequence == nil ? .waiting : .sent
                    $0.number = entry.sequence
                    $0.size = entry.body.count
                }
            }
        }
    }
}

extension Inbox {
    fileprivate func inspected(listing limit: Int) -> InspectLink.Inbox {
        let entries = entries
        return InspectLink.Inbox {
            $0.waiting = entries.count
            $0.received = received
            $0.transfers = entries.prefix(limit).map { entry in
                InspectLink.Transfer {
                    $0.id = entry.transferId.uuidString
                    $0.app = entry.app
                    $0.state = entry.wasOffered ? .handedOver : .waiting
                    $0.size = entry.body.count
                }
            }
        }
    }
}

extension ContextExchange {
    fileprivate var inspected: [InspectLink.Context] {
        [(own, true), (received, false)].flatMap { contexts, isOwn in
            contexts.filter { !$0.value.isForgotten }.sorted { $0.key < $1.key }.map { app, context in
                InspectLink.Context {
                    $0.app = app
                    $0.isOwn = isOwn
                    $0.version = context.version
                    $0.size = context.body.count
                    $0.isDone = context.isDone
                }
            }
        }
    }
}
