extension AppSpec {
    /// What the app is to the vocabulary: the SDK inside decides.
    public var actorKind: ActorKind {
        switch powerAuth.sdk {
        case .full: .app
        case .extensions: .appExtension
        case .watch: .watchApp
        }
    }
}
