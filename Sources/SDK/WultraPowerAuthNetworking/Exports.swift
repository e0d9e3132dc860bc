// An application that imports `Foundation` and the SDKs finds the types of `URLSession` there, as on Apple's platforms;
// on Linux they have a module of their own.
@_exported public import Foundation
@_exported public import FoundationNetworking
