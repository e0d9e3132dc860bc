import Foundation
import LabKit
import LabSystem
import ZeroMQ

/// How the watch's agent reaches the phone's: the address and the keys of one start of the phone's agent. The file is for the
/// owner of the instance alone; a holder of it can be the watch.
struct LinkInvitation: Codable, Equatable {
    /// Where the phone's agent listens.
    var endpoint: String
    /// By which the watch knows the phone.
    var phone: CurvePublicKey
    /// By which the phone knows the watch.
    var watch: CurveKeyPair

    /// The invitation of a link; nil while it does not exist.
    static func read(_ layout: InstanceLayout, _ link: LinkSpec) throws -> LinkInvitation? {
        guard let data = try? Files.read(layout.invitationPath(link.name)) else { return nil }
        return try? JSONDecoder().decode(LinkInvitation.self, from: data)
    }

    /// Replaces the invitation in one step.
    func write(_ layout: InstanceLayout, _ link: LinkSpec) throws {
        try Files.write(JSONEncoder().encode(self), to: layout.invitationPath(link.name))
    }
}
