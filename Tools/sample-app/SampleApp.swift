// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabApp
import PowerAuth2
import UIKit

/// A custom app for the tests: one command per kind of answer.
@main
final class SampleApp: MainApp {
    private let context: Context
    private var waiting: CheckedContinuation<String, Never>?

    init(_ context: Context) {
        self.context = context
    }

    static let errors: [any AppError.Type] = [SampleError.self]

    static let commands: [Command<SampleApp>] = [
        Command("greet", "Greets a person.", taking: Greeting.self) { app, greeting in
            Greeted {
                $0.text = "\(app.context.settings["word"] ?? "Hello"), \(greeting.name)"
                $0.times = greeting.times
            }
        },
        Command("unlock", "Fails unless the code is right.", taking: Unlock.self) { _, unlock in
            guard unlock.code.revealed == "1234" else { throw SampleError.wrongCode }
        },
        Command("isActivated", "Asks the SDK object on which the lab's commands work.") { app in
            try app.context.sdk.hasValidActivation()
        },
        Command("fingerprint", "Signs in with the SDK's own functions that wait.", taking: Unlock.self) { app, unlock in
            try await app.context.sdk.validatePassword(password: unlock.code.revealed)
            return app.context.name
        },
        Command("waitForWord", "Waits until `say` is given.") { app in
            app.context.log("waiting")
            return await withCheckedContinuation { app.waiting = $0 }
        },
        Command("say", "Ends `waitForWord`.", taking: Word.self) { app, word in
            app.waiting?.resume(returning: word.word)
            app.waiting = nil
        },
        Command("chatter", "Logs many lines.", taking: Lines.self) { app, lines in
            for line in 1...lines.lines { app.context.log("line \(line)") }
        },
        Command("sayTwice", "Logs a word at both sides of a checkpoint.", taking: Word.self) { app, word in
            app.context.log(word.word)
            checkpoint("between-words")
            app.context.log(word.word)
        },
        Command(
            "writeLetters", "Writes a letter three times to the group's preferences, with checkpoints.",
            taking: Word.self
        ) {
            _, word in
            for number in 1...3 {
                if number > 1 { checkpoint("between-letters") }
                sharedLetters?.set(lettersOfGroup + word.word, forKey: "letters")
            }
        },
        Command("changesOfLetters", "Counts how often a letter in the group's preferences differs from the one before.")
        { _ in
            zip(lettersOfGroup, lettersOfGroup.dropFirst()).count { $0 != $1 }
        },
        Command("crash", "Dies.") { _ in
            kill(getpid(), SIGKILL)
        },
    ]
}

/// The preferences of the apps that write letters; nil for an app without the group.
private var sharedLetters: UserDefaults? { UserDefaults(suiteName: "group.com.example.letters") }

/// What all apps of the group have written.
private var lettersOfGroup: String { sharedLetters?.string(forKey: "letters") ?? "" }

/// The arguments of `greet`.
struct Greeting: FieldObject {
    @Field("Who is greeted.") var name: String
    @Field("How often.", limit: .between(1, 3)) var times: Int = 1
    init() {}
}

/// The answer of `greet`.
struct Greeted: FieldObject {
    @Field("The greeting.") var text: String
    @Field("How often it is meant.") var times: Int
    init() {}
}

/// A secret of the user.
struct Unlock: FieldObject {
    @Field("The code.") var code: Secret
    init() {}
}

/// A word.
struct Word: FieldObject {
    @Field("The word.") var word: String
    init() {}
}

/// How many lines.
struct Lines: FieldObject {
    @Field("How many.", limit: .between(1, 1_000_000)) var lines: Int
    init() {}
}

/// The errors of the app's commands.
enum SampleError: String, AppError {
    case wrongCode

    var message: String { "The code is wrong." }
}
