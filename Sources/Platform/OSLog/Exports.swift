// SPDX-License-Identifier: Apache-2.0

// Apps import the same names as `os` and as `OSLog`.
@_exported public import OSFramework
