/// Result code of a keychain call, as the platform's Security framework spells it.
public typealias OSStatus = Int32

/// The call succeeded.
public let errSecSuccess: OSStatus = 0
/// The function is not implemented on this platform.
public let errSecUnimplemented: OSStatus = -4
/// The disk is full.
public let errSecDiskFull: OSStatus = -34
/// The database could not be read or written.
public let errSecIO: OSStatus = -36
/// A parameter is not valid.
public let errSecParam: OSStatus = -50
/// The user cancelled the dialog.
public let errSecUserCanceled: OSStatus = -128
/// The request itself makes no sense.
public let errSecBadReq: OSStatus = -909
/// No keychain is available.
public let errSecNotAvailable: OSStatus = -25291
/// The keychain cannot be written.
public let errSecReadOnly: OSStatus = -25292
/// Authentication of the user failed.
public let errSecAuthFailed: OSStatus = -25293
/// An item with the same identity exists.
public let errSecDuplicateItem: OSStatus = -25299
/// There is no such item.
public let errSecItemNotFound: OSStatus = -25300
/// The item needs interaction with the user, or the device was not unlocked since it started.
public let errSecInteractionNotAllowed: OSStatus = -25308
/// The stored value is damaged.
public let errSecDecode: OSStatus = -26275
/// The process is not entitled to the access group.
public let errSecMissingEntitlement: OSStatus = -34018
/// The authentication context cannot be used.
public let errSecInvalidContext: OSStatus = -67746
