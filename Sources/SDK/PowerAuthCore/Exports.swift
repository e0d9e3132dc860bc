// SPDX-License-Identifier: Apache-2.0

// Apple's modules of the core and of the SDKs hand on what their headers import, so that an application sees Foundation
// without its import (sdk.md, section 3, item 16). Foundation is handed on by names and not as a whole: `UserDefaults`
// would come along, and in a file that imports UIKit too there would be two types of that name.
@_exported public import Dispatch

@_exported public import class Foundation.Bundle
@_exported public import struct Foundation.Calendar
@_exported public import struct Foundation.CharacterSet
@_exported public import struct Foundation.CocoaError
@_exported public import protocol Foundation.CustomNSError
@_exported public import struct Foundation.Data
@_exported public import struct Foundation.Date
@_exported public import struct Foundation.DateComponents
@_exported public import class Foundation.DateFormatter
@_exported public import struct Foundation.DateInterval
@_exported public import struct Foundation.Decimal
@_exported public import class Foundation.FileManager
@_exported public import class Foundation.ISO8601DateFormatter
@_exported public import class Foundation.JSONDecoder
@_exported public import class Foundation.JSONEncoder
@_exported public import class Foundation.JSONSerialization
@_exported public import struct Foundation.Locale
@_exported public import protocol Foundation.LocalizedError
@_exported public import class Foundation.NSArray
@_exported public import class Foundation.NSData
@_exported public import class Foundation.NSDictionary
@_exported public import class Foundation.NSError
@_exported public import let Foundation.NSLocalizedDescriptionKey
@_exported public import class Foundation.NSLock
@_exported public import func Foundation.NSLog
@_exported public import class Foundation.NSNumber
@_exported public import class Foundation.NSObject
@_exported public import protocol Foundation.NSObjectProtocol
@_exported public import typealias Foundation.NSRange
@_exported public import class Foundation.NSRecursiveLock
@_exported public import class Foundation.NSRegularExpression
@_exported public import class Foundation.NSString
@_exported public import let Foundation.NSURLErrorDomain
@_exported public import let Foundation.NSUnderlyingErrorKey
@_exported public import struct Foundation.Notification
@_exported public import class Foundation.NotificationCenter
@_exported public import class Foundation.NumberFormatter
@_exported public import class Foundation.Operation
@_exported public import class Foundation.OperationQueue
@_exported public import class Foundation.ProcessInfo
@_exported public import class Foundation.Progress
@_exported public import class Foundation.RunLoop
@_exported public import class Foundation.Thread
@_exported public import typealias Foundation.TimeInterval
@_exported public import struct Foundation.TimeZone
@_exported public import class Foundation.Timer
@_exported public import struct Foundation.URL
@_exported public import struct Foundation.URLComponents
@_exported public import struct Foundation.URLError
@_exported public import struct Foundation.URLQueryItem
@_exported public import struct Foundation.UUID
