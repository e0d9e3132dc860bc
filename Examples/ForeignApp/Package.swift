// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A bank's code for iOS, in the lab. This file alone differs from the package of the same code for iOS: the lab is the
// dependency, and two modules of Apple's have other names here, which the compiler takes from a flag (docs/own-app.md).
let lab = "PowerAuthLab"

let apple: [SwiftSetting] = [
    .unsafeFlags(["-module-alias", "Security=SecurityFramework", "-module-alias", "os=OSFramework"])
]

let package = Package(
    name: "ForeignApp",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: lab, path: "../..")],
    targets: [
        .target(
            name: "MobileBank",
            dependencies: [
                "BankShared",
                .product(name: "PowerAuth2", package: lab), .product(name: "WultraMobileTokenSDK", package: lab),
                .product(name: "WultraPowerAuthNetworking", package: lab), .product(name: "UIKit", package: lab),
                .product(name: "LocalAuthentication", package: lab), .product(name: "UserNotifications", package: lab),
                .product(name: "WatchConnectivity", package: lab), .product(name: "SecurityFramework", package: lab),
                .product(name: "OSFramework", package: lab),
            ], swiftSettings: apple),
        // What app and widget share.
        .target(name: "BankShared", dependencies: [.product(name: "UIKit", package: lab)]),
        .target(
            name: "BankWidget",
            dependencies: ["BankShared", .product(name: "PowerAuth2ForExtensions", package: lab)]),
        .target(
            name: "BankWatch",
            dependencies: [
                .product(name: "PowerAuth2ForWatch", package: lab), .product(name: "WatchConnectivity", package: lab),
                .product(name: "OSFramework", package: lab),
            ], swiftSettings: apple),
        .testTarget(
            name: "MobileBankTests",
            dependencies: [
                "MobileBank", "BankShared", "BankWidget", .product(name: "LabTesting", package: lab),
                .product(name: "WultraMobileTokenSDK", package: lab),
                .product(name: "LocalAuthentication", package: lab), .product(name: "UIKit", package: lab),
                .product(name: "SecurityFramework", package: lab),
            ], swiftSettings: apple),
    ],
    swiftLanguageModes: [.v5]
)
