// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A bank's app, its widget and its watch app, as a package outside of the lab has them: it uses products for users only.
// The name of the lab's package is written out, because a checkout's folder can have any.
let lab = "PowerAuthLab"

let package = Package(
    name: "BankApp",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: lab, path: "../..")],
    targets: [
        // What the three apps share.
        .target(
            name: "BankKit",
            dependencies: [.product(name: "LabApp", package: lab), .product(name: "PowerAuth2", package: lab)]),
        .executableTarget(
            name: "bank-app",
            dependencies: [
                "BankKit", .product(name: "LabApp", package: lab), .product(name: "PowerAuth2", package: lab),
            ]),
        .executableTarget(
            name: "bank-widget",
            dependencies: [
                "BankKit", .product(name: "LabApp", package: lab),
                .product(name: "PowerAuth2ForExtensions", package: lab),
            ]),
        .executableTarget(
            name: "bank-watch",
            dependencies: [
                "BankKit", .product(name: "LabApp", package: lab), .product(name: "PowerAuth2ForWatch", package: lab),
            ]),
        // An extension with the whole SDK.
        .executableTarget(
            name: "bank-approver",
            dependencies: [.product(name: "LabApp", package: lab), .product(name: "PowerAuth2", package: lab)]),
        // The app of docs/own-app.md.
        .executableTarget(
            name: "first-app",
            dependencies: [.product(name: "LabApp", package: lab), .product(name: "PowerAuth2", package: lab)]),
        .testTarget(name: "BankTests", dependencies: [.product(name: "LabTesting", package: lab)]),
        // Code for iOS. Two of Apple's modules have other names in the lab; the flag gives the compiler these names.
        .target(
            name: "BankStorage",
            dependencies: [
                .product(name: "UIKit", package: lab), .product(name: "SecurityFramework", package: lab),
                .product(name: "OSFramework", package: lab),
            ],
            swiftSettings: [
                .unsafeFlags(["-module-alias", "Security=SecurityFramework", "-module-alias", "os=OSFramework"])
            ]),
        .testTarget(
            name: "BankStorageTests",
            dependencies: [
                "BankStorage", .product(name: "UIKit", package: lab), .product(name: "LabTesting", package: lab),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
