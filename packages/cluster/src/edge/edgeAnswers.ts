/** What an edge answers to the executors of its runs. */
import { type PhaseRequest, RuntimeDefect } from "@sibyl/core"
import type { ProxyDirectory, TallyJob } from "@sibyl/vm/internal"
import { Effect, Option } from "effect"
import type { Answer } from "../contract/orders.ts"
import type { Ask } from "../contract/replies.ts"

/** The answers for one run: of its own storage and programs, and of the data proxies of the network. */
export const answersOf =
  (request: PhaseRequest, tally: TallyJob | undefined, proxies: Option.Option<ProxyDirectory>) =>
  (ask: Ask): Effect.Effect<Answer> => {
    switch (ask.kind) {
      case "storage":
        return request.storage === undefined
          ? Effect.die(new RuntimeDefect("an executor asks for the storage of a run that has none"))
          : Effect.map(request.storage.read(ask.keys), (view) => ({ kind: "storage", view }))
      case "program": {
        if (ask.programId === request.programId) return Effect.succeed({ kind: "program", bytes: request.program })
        return ask.programId === tally?.source.programId
          ? Effect.succeed({ kind: "program", bytes: tally.source.bytes })
          : Effect.die(new RuntimeDefect("an executor asks for a program that is not of its run"))
      }
      case "proxy":
        return Option.isNone(proxies)
          ? Effect.succeed({ kind: "proxy", proxy: null })
          : Effect.map(proxies.value.find(ask.publicKey), (found) => ({ kind: "proxy", proxy: Option.getOrNull(found) }))
      case "proof":
        return Option.isNone(proxies)
          ? Effect.die(new RuntimeDefect("an executor asks for a proof of an edge without data proxies"))
          : Effect.map(proxies.value.proof, (proof) => ({ kind: "proof", proof }))
    }
  }
