import Foundation
import PowerAuthProtocol

extension ParserProperty {
    static let codes: [ParserProperty] = [
        ParserProperty(
            "activation-code",
            examples: ["W65WE-3T7VI-7FBS2-A4OYA", "W65WE-3T7VI-7FBS2-A4OYA#MEQCIDoesM8="].map(\.bytes)
        ) { data in
            guard let parsed = try? ActivationCodeParser.parse(data.text) else { return }
            let written = parsed.code.text + (parsed.signature.map { "#" + $0 } ?? "")
            try require(written == data.text, "an accepted text is the code and its signature, unchanged", data)
            try require((try? ActivationCode(raw: parsed.code.raw)) == parsed.code, "a code comes from its bytes", data)
        },
        ParserProperty(
            "recovery-code", examples: ["W65WE-3T7VI-7FBS2-A4OYA", "R:W65WE-3T7VI-7FBS2-A4OYA"].map(\.bytes)
        ) { data in
            guard let code = try? RecoveryCode(data.text) else { return }
            try require([code.text, "R:" + code.text].contains(data.text), "only the prefix R: is dropped", data)
        },
        ParserProperty("puk", examples: ["0123456789".bytes]) { data in
            guard let puk = try? RecoveryPuk(data.text) else { return }
            try require(puk.text.bytes == data && data.count == 10, "a PUK is its ten digits", data)
        },
        ParserProperty("typed-characters", examples: ["abcz019-ABC27".bytes]) { data in
            for scalar in data.text.unicodeScalars {
                let corrected = TypedCharacter.correct(scalar.value)
                try require(
                    corrected == 0 || TypedCharacter.validate(corrected), "a corrected character is valid", data)
                try require(
                    !TypedCharacter.validate(scalar) || corrected == scalar.value, "valid characters stay", data)
            }
        },
    ]
}
