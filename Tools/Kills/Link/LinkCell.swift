// SPDX-License-Identifier: Apache-2.0

import LabControl
package import LabPoints

/// One cell of the matrix of the link: a process dies while a message goes from one app to the other.
package struct LinkCell: Hashable, Sendable, CustomStringConvertible {
    /// The kind of message.
    package enum Message: String, CaseIterable, Sendable {
        /// Guaranteed messages.
        case transfer
        /// An immediate message that asks for a reply.
        case message
    }

    /// The victim: an app, or the system of a device with all its processes; an erased device has lost its memory when
    /// it restarts.
    package enum Victim: String, CaseIterable, Sendable {
        case sendingApp, sendingDevice, receivingApp, receivingDevice, erasedSender, erasedReceiver

        var isApp: Bool { self == .sendingApp || self == .receivingApp }
        var sends: Bool { [.sendingApp, .sendingDevice, .erasedSender].contains(self) }
        var isErased: Bool { self == .erasedSender || self == .erasedReceiver }
    }

    package let message: Message
    package let direction: LinkDirection
    package let victim: Victim
    package let point: FaultPoint
    /// At which pass of the point, from 1.
    package let pass: Int

    /// Every cell: each victim at each point of the link that it passes, in both directions.
    package static let all: [LinkCell] = Message.allCases.flatMap { message in
        LinkDirection.allCases.flatMap { direction in
            points(of: message).flatMap { victim, points in
                points.flatMap { point in
                    (1...passes(of: message)).map {
                        LinkCell(message: message, direction: direction, victim: victim, point: point, pass: $0)
                    }
                }
            }
        }
    }

    private static func points(of message: Message) -> [(Victim, [FaultPoint])] {
        switch message {
        case .transfer:
            [
                (.sendingApp, [.linkAccepted]), (.sendingDevice, [.linkAccepted, .linkSent]),
                (.receivingApp, [.linkDelivered, .linkAcknowledged]),
                (.receivingDevice, [.linkStore, .linkDelivered, .linkAcknowledged]),
                (.erasedSender, [.linkAccepted, .linkSent]),
                (.erasedReceiver, [.linkStore, .linkDelivered, .linkAcknowledged]),
            ]
        case .message: [(.sendingDevice, [.linkSent]), (.receivingDevice, [.linkDelivered])]
        }
    }

    private static func passes(of message: Message) -> Int { message == .transfer ? 2 : 1 }

    package var description: String { "\(message.rawValue)-\(direction.rawValue)-\(victim.rawValue)@\(point)#\(pass)" }

    /// The cell that a text such as `transfer-toWatch-receivingApp@link.delivered#2` names; nil for an unknown cell.
    package init?(_ text: String) {
        guard let cell = Self.all.first(where: { $0.description == text }) else { return nil }
        self = cell
    }

    private init(message: Message, direction: LinkDirection, victim: Victim, point: FaultPoint, pass: Int) {
        self.message = message
        self.direction = direction
        self.victim = victim
        self.point = point
        self.pass = pass
    }
}
