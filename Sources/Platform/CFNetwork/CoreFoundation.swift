// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Names of CoreFoundation, which CFNetwork hands on. Foundation on Linux has CoreFoundation inside and bridges none of its
// types, but it bridges its own classes to the same values of Swift. An app writes `query as CFDictionary` and
// `kCFBundleNameKey as String` as on Apple's platforms.

/// A text, as CoreFoundation names it.
public typealias CFString = NSString
/// Bytes, as CoreFoundation names them.
public typealias CFData = NSData
/// A number, as CoreFoundation names it.
public typealias CFNumber = NSNumber
/// A Boolean, as CoreFoundation names it.
public typealias CFBoolean = NSNumber
/// A list, as CoreFoundation names it.
public typealias CFArray = NSArray
/// A dictionary, as CoreFoundation names it.
public typealias CFDictionary = NSDictionary
/// A moment, as CoreFoundation names it.
public typealias CFDate = NSDate
/// An address of a resource, as CoreFoundation names it.
public typealias CFURL = NSURL
/// An error, as CoreFoundation names it.
public typealias CFError = NSError
/// Any object of CoreFoundation.
public typealias CFTypeRef = AnyObject

/// True. Never nil; an optional as on Apple's platforms, where apps write `kCFBooleanTrue!` or `kCFBooleanTrue as Any`.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False. Never nil, as ``kCFBooleanTrue``.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

// MARK: Keys of the information dictionary of a bundle

// Made anew at each use: the class may have shared state for all that the compiler knows.

/// Version of the dictionary's form.
public var kCFBundleInfoDictionaryVersionKey: CFString { "CFBundleInfoDictionaryVersion" }
/// Name of the executable's file.
public var kCFBundleExecutableKey: CFString { "CFBundleExecutable" }
/// Identifier of the bundle.
public var kCFBundleIdentifierKey: CFString { "CFBundleIdentifier" }
/// Number of the build. An app in the lab has the text of the build, as `Bundle.main` has it.
public var kCFBundleVersionKey: CFString { "CFBundleVersion" }
/// Language of the bundle's development.
public var kCFBundleDevelopmentRegionKey: CFString { "CFBundleDevelopmentRegion" }
/// Short name of the bundle.
public var kCFBundleNameKey: CFString { "CFBundleName" }
/// Languages that the bundle has texts in.
public var kCFBundleLocalizationsKey: CFString { "CFBundleLocalizations" }

// MARK: Names of the system

/// Bytes of each text of `utsname`, the terminating zero included. 65 on Linux, where Apple's platforms have 256: code
/// that rebinds such a text to so many characters stays within it.
public let _SYS_NAMELEN: Int32 = 65
