// A test names commands, their arguments and results, topologies and durations, which are LabKit's, and the error of
// an instance that does not work. Neither module is a product, so whoever imports LabTesting gets them with it.
@_exported public import LabKit

@_exported public import struct LabRunner.LabFailure
