import Foundation

/// The random identifiers the server hands out.
enum Identifiers {
    /// A lower-case UUID of version 4.
    static func uuid() -> Identifier { Identifier(known: UUID().uuidString.lowercased()) }

    /// Draws candidates until one is free.
    /// - Throws: ServiceError with `code` when `attempts` candidates were all taken.
    static func firstFree<Candidate>(
        attempts: Int, orThrow code: ServiceErrorCode, draw: () -> Candidate, isTaken: (Candidate) throws -> Bool
    ) throws -> Candidate {
        for _ in 0..<attempts {
            let candidate = draw()
            if try !isTaken(candidate) { return candidate }
        }
        throw ServiceError(code, "\(attempts) candidates were all taken")
    }
}

extension Optional<String> {
    /// The text, unless it is missing or made of white space only.
    var nonBlank: String? {
        guard let text = self, !text.allSatisfy(\.isWhitespace) else { return nil }
        return text
    }
}
