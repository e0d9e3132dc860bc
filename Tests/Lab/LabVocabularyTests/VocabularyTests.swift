// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabVocabulary
import TestSupport
import Testing

@Suite("Vocabulary", .endsInTime)
struct VocabularyTests {
    @Test func `No two commands of one actor have the same name`() {
        #expect(Vocabulary.lab.conflicts == [])
        #expect(
            Vocabulary([Sample.self, Sample.self]).conflicts == ["app: sample is declared by Sample and by Sample"])
    }

    @Test func `Every command and every field is described by a sentence`() {
        for command in Vocabulary.lab.commands {
            #expect(command.summary.hasSuffix("."), "\(command.name): \(command.summary)")
            for field in command.fields + members(of: command.result) {
                #expect(field.meaning.hasSuffix("."), "\(command.name).\(field.name): \(field.meaning)")
            }
        }
    }

    private func members(of type: FieldType) -> [FieldDeclaration] {
        switch type {
        case .object(let members): members + members.flatMap { self.members(of: $0.type) }
        case .list(let element): members(of: element)
        case .optional(let wrapped): members(of: wrapped)
        default: []
        }
    }

    @Test func `A command is found by its name and the kind of actor`() {
        #expect(Vocabulary.lab.command(named: "removeActivation", of: .app)?.declaredBy == "RemoveActivation")
        #expect(Vocabulary.lab.command(named: "removeActivation", of: .server)?.declaredBy == "RemoveServerActivation")
        #expect(Vocabulary.lab.command(named: "createActivation", of: .watchApp) == nil)
    }

    @Test func `What SDK 2.0 has dropped or added is no command of the other full SDK`() {
        let (first, second) = (Set(Vocabulary.lab.names(of: .app)), Set(Vocabulary.lab.names(of: .app2)))
        #expect(
            second.subtracting(first).sorted() == [
                "beginPasswordChange", "fetchSecureVaultKey", "finishPasswordChange", "hasPendingProtocolUpgrade",
                "signJwsWithDevicePrivateKey", "startProtocolUpgrade", "verifyOfflineData",
            ])
        let dropped = first.subtracting(second)
        for name in [
            "createActivationWithRecoveryCode", "fetchEncryptionKey", "signJwtWithDevicePrivateKey",
            "setExternalEncryptionKey", "unsafeChangePassword", "verifyServerSignedData", "startLegacyActivation",
            "post", "authorize", "getMessageList",
        ] {
            #expect(dropped.contains(name), "\(name)")
        }
        #expect(first.intersection(second).isSuperset(of: ["createActivation", "changePassword", "sendTokenToWatch"]))
        #expect(
            Vocabulary.lab.command(named: "signDataWithDevicePrivateKey", of: .app2)?.declaredBy
                == "SignDataWithDeviceKey")
    }

    @Test func `A resource of the mobile API is one of both protocols`() {
        #expect(MobileEndpoint.tokenCreate.path == "/pa/v3/token/create|/pa/v4/token/create")
        #expect(MobileEndpoint.inboxList.path == "/api/inbox/message/list")
        #expect(MobileEndpoint.any.path == "/pa/v3/*|/pa/v4/*|/api/*")
    }

    @Test func `Each fault is ended and counted by commands of the same actor, from the arming answer alone`() {
        let arming = Vocabulary.lab.commands.filter { $0.ending != nil }
        #expect(arming.map(\.name).contains("arm"))
        for command in arming {
            let answered = Set(members(of: command.result).map(\.name))
            for actor in command.actors {
                let ending = Vocabulary.lab.command(named: command.ending ?? "", of: actor)
                #expect(ending != nil, "\(command.name)")
                let needed = ending?.fields.filter(\.isRequired).map(\.name) ?? []
                #expect(answered.isSuperset(of: needed), "\(command.name)")
                guard let name = command.counting else { continue }
                let counting = Vocabulary.lab.command(named: name, of: actor)
                #expect(counting?.fields.contains(where: \.isRequired) == false, "\(command.name)")
                let counted = Set(members(of: counting?.result ?? .nothing).map(\.name))
                #expect(counted.isSuperset(of: ["id", "fired"]) && answered.contains("id"), "\(command.name)")
            }
        }
        for command in Vocabulary.lab.commands where command.ending == nil {
            #expect(command.counting == nil, "\(command.name)")
        }
    }

    @Test func `A secret shows dots in every description`() {
        let command = PersistActivation { $0.password = "0123" }
        var dumped = ""
        dump(command, to: &dumped)
        for text in ["\(command)", String(reflecting: command), dumped] {
            #expect(!text.contains("0123"))
        }
    }
}
