// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Claims about the user (sdk.md, section 5.23). Immutable. Thread rule: any thread.
///
/// A claim that is missing or of another type is nil, or false for the two verified flags.
public final class PowerAuthUserInfo: @unchecked Sendable {
    // Safe to share: the claims hold only values that the JSON parser made, which are never mutated.

    /// Every claim as it was received, custom ones included.
    public let allClaims: [String: Any]

    /// Takes decoded claims.
    public init(with claims: [String: Any]) { allClaims = claims }

    /// Identifier of the user.
    public var subject: String? { text("sub") }
    /// Full name.
    public var name: String? { text("name") }
    /// First name.
    public var givenName: String? { text("given_name") }
    /// Last name.
    public var familyName: String? { text("family_name") }
    /// Middle name.
    public var middleName: String? { text("middle_name") }
    /// Casual name.
    public var nickname: String? { text("nickname") }
    /// Name the user wants to be called.
    public var preferredUsername: String? { text("preferred_username") }
    /// Address of the profile page.
    public var profileUrl: String? { text("profile") }
    /// Address of a picture.
    public var pictureUrl: String? { text("picture") }
    /// Address of the user's web site.
    public var websiteUrl: String? { text("website") }
    /// Electronic mail address.
    public var email: String? { text("email") }
    /// True when the electronic mail address was verified.
    public var isEmailVerified: Bool { flag("email_verified") }
    /// Telephone number.
    public var phoneNumber: String? { text("phone_number") }
    /// True when the telephone number was verified.
    public var isPhoneNumberVerified: Bool { flag("phone_number_verified") }
    /// Gender.
    public var gender: String? { text("gender") }
    /// Time zone, for example `Europe/Prague`.
    public var zoneInfo: String? { text("zoneinfo") }
    /// Locale, for example `cs-CZ`.
    public var locale: String? { text("locale") }
    /// Postal address.
    public var address: PowerAuthUserAddress? {
        (allClaims["address"] as? [String: Any]).map(PowerAuthUserAddress.init(with:))
    }

    /// Birthday at midnight of the local time zone.
    public var birthdate: Date? {
        guard let parts = text("birthdate")?.wholeMatch(of: /(\d{4})-(\d{2})-(\d{2})/) else { return nil }
        // The user's own calendar may count years differently (sdk.md, section 15, item 14).
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        let components = DateComponents(year: Int(parts.1), month: Int(parts.2), day: Int(parts.3))
        guard components.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: components)
    }

    /// Moment of the last change.
    public var updatedAt: Date? {
        guard let number = allClaims["updated_at"] as? NSNumber else { return nil }
        return Date(timeIntervalSince1970: number.doubleValue)
    }

    private func text(_ claim: String) -> String? { allClaims[claim] as? String }
    private func flag(_ claim: String) -> Bool { (allClaims[claim] as? NSNumber)?.boolValue ?? false }
}

/// A postal address in the claims about a user. Immutable. Thread rule: any thread.
public final class PowerAuthUserAddress: @unchecked Sendable {
    // Safe to share: the claims hold only values that the JSON parser made, which are never mutated.

    /// Every claim as it was received.
    public let allClaims: [String: Any]

    /// Takes decoded claims.
    public init(with claims: [String: Any]) { allClaims = claims }

    /// The address ready for display, lines separated by line feeds.
    public var formatted: String? { lines("formatted") }
    /// Street and number, lines separated by line feeds.
    public var street: String? { lines("street_address") }
    /// City.
    public var locality: String? { allClaims["locality"] as? String }
    /// State or region.
    public var region: String? { allClaims["region"] as? String }
    /// Postal code.
    public var postalCode: String? { allClaims["postal_code"] as? String }
    /// Country.
    public var country: String? { allClaims["country"] as? String }

    private func lines(_ claim: String) -> String? { (allClaims[claim] as? String)?.replacing("\r\n", with: "\n") }
}
