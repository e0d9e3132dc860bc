// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import SDKTestSupport
import TestSupport
import Testing

@Suite("Claims about the user (sdk.md, section 12.12)", .endsInTime)
struct UserInfoTests {
    @Test(.verifies("sdk.md", "B-56")) func `Without claims everything is nil or false`() {
        let info = PowerAuthUserInfo(with: [:])
        #expect(info.subject == nil && info.name == nil && info.email == nil && info.phoneNumber == nil)
        #expect(!info.isEmailVerified && !info.isPhoneNumberVerified)
        #expect(info.birthdate == nil && info.updatedAt == nil && info.address == nil && info.allClaims.isEmpty)
    }

    @Test(.verifies("sdk.md", "B-56"))
    func `Every claim has its property; custom claims are among all of them`() throws {
        let info = PowerAuthUserInfo(with: [
            "sub": "123456", "name": "John Jacob Doe", "given_name": "John", "family_name": "Doe",
            "middle_name": "Jacob", "nickname": "jjd", "preferred_username": "JacobTheGreat",
            "profile": "https://jjd.com/profile", "picture": "https://jjd.com/avatar.jpg", "website": "https://jjd.com",
            "email": "jacob@jjd.com", "email_verified": true, "phone_number": "+1 (425) 555-1212",
            "phone_number_verified": true, "gender": "male", "zoneinfo": "Europe/Prague", "locale": "en-US",
            "birthdate": "1984-02-21", "updated_at": 1_324_512_000, "custom": ["answer": 42],
            "address": [
                "formatted": "Belehradska 858/23\r\n120 00 Prague", "street_address": "Belehradska\r\n858/23",
                "locality": "Prague", "region": "Prague", "postal_code": "12000", "country": "CZ",
            ],
        ])
        #expect(info.subject == "123456" && info.name == "John Jacob Doe")
        #expect(info.givenName == "John" && info.familyName == "Doe" && info.middleName == "Jacob")
        #expect(info.nickname == "jjd" && info.preferredUsername == "JacobTheGreat")
        #expect(info.profileUrl == "https://jjd.com/profile" && info.pictureUrl == "https://jjd.com/avatar.jpg")
        #expect(info.websiteUrl == "https://jjd.com" && info.email == "jacob@jjd.com")
        #expect(info.phoneNumber == "+1 (425) 555-1212" && info.isEmailVerified && info.isPhoneNumberVerified)
        #expect(info.gender == "male" && info.zoneInfo == "Europe/Prague" && info.locale == "en-US")
        #expect(info.updatedAt == Date(timeIntervalSince1970: 1_324_512_000))
        #expect((info.allClaims["custom"] as? [String: Int])?["answer"] == 42)

        let day = Calendar(identifier: .gregorian).dateComponents(in: .current, from: try #require(info.birthdate))
        #expect([day.year, day.month, day.day, day.hour, day.minute, day.second] == [1984, 2, 21, 0, 0, 0])

        let address = try #require(info.address)
        #expect(address.formatted == "Belehradska 858/23\n120 00 Prague" && address.street == "Belehradska\n858/23")
        #expect(address.locality == "Prague" && address.region == "Prague")
        #expect(address.postalCode == "12000" && address.country == "CZ")
    }

    @Test(.verifies("sdk.md", "B-56")) func `A JSON null counts as missing everywhere`() throws {
        let names = [
            "sub", "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile",
            "picture", "website", "email", "email_verified", "phone_number", "phone_number_verified", "gender",
            "zoneinfo", "locale", "birthdate", "updated_at", "address",
        ]
        let info = PowerAuthUserInfo(with: Dictionary(uniqueKeysWithValues: names.map { ($0, NSNull()) }))
        #expect([info.subject, info.name, info.givenName, info.familyName, info.middleName].allSatisfy { $0 == nil })
        #expect([info.nickname, info.preferredUsername, info.profileUrl, info.pictureUrl].allSatisfy { $0 == nil })
        #expect([info.websiteUrl, info.email, info.phoneNumber, info.gender].allSatisfy { $0 == nil })
        #expect(info.zoneInfo == nil && info.locale == nil && info.birthdate == nil && info.updatedAt == nil)
        #expect(!info.isEmailVerified && !info.isPhoneNumberVerified && info.address == nil)
        let address = PowerAuthUserInfo(with: ["address": ["formatted": NSNull(), "country": NSNull()]]).address
        #expect(address != nil && address?.formatted == nil && address?.country == nil)
    }

    @Test(.verifies("sdk.md", "B-56")) func `A flag is true only for a true value`() {
        for (value, isVerified) in [(true, true), (false, false), (1, true), (0, false), ("true", false)]
            as [(Any, Bool)]
        {
            let info = PowerAuthUserInfo(with: ["email_verified": value, "phone_number_verified": value])
            #expect(info.isEmailVerified == isVerified && info.isPhoneNumberVerified == isVerified)
        }
    }

    @Test(
        .verifies("sdk.md", "B-59"),
        arguments: TestApp.Mode.allCases)
    func `The claims of the activation, of a fetch, and the last known ones agree`(mode: TestApp.Mode) async throws {
        let app = try await TestApp(mode)
        try await app.backOffice.setClaims(["given_name": "Eva", "email_verified": true], userId: app.userId)
        let received = try #require(try await app.createActivation().get().userInfo)
        #expect(app.sdk.lastFetchedUserInfo === received)
        try app.sdk.persistActivation(withPassword: TestApp.password)
        try await app.backOffice.commit(app.activationId)
        let fetched = try await outcome { app.sdk.fetchUserInfo(callback: $0) }.get()
        #expect(app.sdk.lastFetchedUserInfo === fetched)
        for info in [received, fetched] {
            #expect(info.subject == app.userId && info.givenName == "Eva" && info.isEmailVerified)
        }
        app.sdk.removeActivationLocal()
        #expect(app.sdk.lastFetchedUserInfo == nil)
        #expect(await outcome { app.sdk.fetchUserInfo(callback: $0) }.code == .missingActivation)
    }
}
