import Foundation
import TestSupport
import Testing

@Suite("Every limit is tried around its value", .endsInTime)
struct SizeIndexTests {
    /// The settings whose defaults are limits; the numbers of other variables are states.
    private static let policies = ["ServerPolicy", "ProximityPolicy", "CallbackPolicy"]

    /// The constants that are numbers or ranges of numbers, by the type that they belong to, and the settings.
    private static func numbers() throws -> Set<String> {
        var found: Set<String> = []
        for file in try Repository.swiftFiles(below: "Sources") {
            var type = ""
            for line in file.text.split(separator: "\n") {
                // Most lines are neither, and an expression costs far more than a look at the first characters.
                let declaration = line.drop { $0 == " " }
                if declaration.startIndex == line.startIndex,
                    let match = line.prefixMatch(
                        of: /(?:public |package |private )?(?:struct|enum|class|final class|extension) (\w+)/)
                {
                    type = String(match.1)
                } else if declaration.contains("static let "),
                    let match = declaration.firstMatch(
                        of: /static let (\w+)(?:: \w+)? = [0-9][0-9A-Fx_.]*(?: << [0-9]+|\.\.\.[0-9_]+)?$/)
                {
                    found.insert("\(type).\(match.1)")
                } else if policies.contains(type), declaration.hasPrefix("public var "),
                    let match = declaration.firstMatch(of: /public var (\w+)(?:: \w+)? = [0-9][0-9_.]*$/)
                {
                    found.insert("\(type).\(match.1)")
                }
            }
        }
        return found
    }

    @Test("Every number in the code has its row, and every row its number")
    func everyNumberHasItsRow() throws {
        let numbers = try Self.numbers()
        #expect(numbers.count > 170)
        let rows = Set(SizeIndex.rows.keys)
        #expect(
            numbers.subtracting(rows).sorted() == [],
            "write a test that tries one less, as many and one more, and name it in SizeIndex.swift")
        #expect(rows.subtracting(numbers).sorted() == [], "no such number is in the code")
    }

    @Test("Every test that the index names exists")
    func everyTestExists() throws {
        let names = SizeIndex.rows.values.compactMap { row in
            if case .test(let name) = row { name } else { nil }
        }
        #expect(
            try TestNames(below: Project.file("Tests")).missing(among: Set(names)).sorted() == [])
    }
}
