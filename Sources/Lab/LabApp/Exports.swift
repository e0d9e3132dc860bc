// SPDX-License-Identifier: Apache-2.0

// What declarations of commands are made of is LabCore's, which is no product of its own. `Command` is not among it: an
// own app has the one of this module.
@_exported public import protocol LabCore.Choice
@_exported public import struct LabCore.Field
@_exported public import protocol LabCore.FieldObject
@_exported public import protocol LabCore.FieldValue
@_exported public import enum LabCore.JSONValue
@_exported public import struct LabCore.LabDuration
@_exported public import struct LabCore.Limit
@_exported public import struct LabCore.Meaning
@_exported public import struct LabCore.Secret
