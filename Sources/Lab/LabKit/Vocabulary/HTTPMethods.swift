/// HTTP methods that a request can be signed for.
public enum RequestMethod: String, Choice {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case head = "HEAD"
    case patch = "PATCH"
}

/// HTTP methods by which a scenario reaches a resource.
public enum ResourceMethod: String, Choice {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
}
