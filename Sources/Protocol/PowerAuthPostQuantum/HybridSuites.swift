// SPDX-License-Identifier: Apache-2.0

public import PowerAuthProtocol

extension CryptographySuite {
    /// P-384 with ML-KEM-768 and ML-DSA-65, the default of SDK 2.0.
    public static let ecP384MLL3 = Self(hybrid: .ecP384MLL3, kem: MLKEM768Parameters(), signature: MLDSA65Parameters())

    /// P-384 with ML-KEM-1024 and ML-DSA-87.
    public static let ecP384MLL5 = Self(hybrid: .ecP384MLL5, kem: MLKEM1024Parameters(), signature: MLDSA87Parameters())

    /// The suite of a name.
    public static func named(_ name: Name) -> Self {
        switch name {
        case .ecP384: .ecP384
        case .ecP384MLL3: .ecP384MLL3
        case .ecP384MLL5: .ecP384MLL5
        }
    }
}
