// What declarations of commands are made of is LabKit's, which is no product of its own. `Command` is not among it: an
// own app has the one of this module.
@_exported public import protocol LabKit.Choice
@_exported public import struct LabKit.Field
@_exported public import protocol LabKit.FieldObject
@_exported public import protocol LabKit.FieldValue
@_exported public import enum LabKit.JSONValue
@_exported public import struct LabKit.LabDuration
@_exported public import struct LabKit.Limit
@_exported public import struct LabKit.Meaning
@_exported public import struct LabKit.Secret
