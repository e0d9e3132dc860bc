// SPDX-License-Identifier: Apache-2.0

// An empty module. On Apple's platforms it lets tests attach images. The compiler imports it into each file that
// imports Testing and UIKit, on Linux too, where the toolchain does not have it.
