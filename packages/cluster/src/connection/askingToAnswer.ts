/** Asks NATS again whether it takes answers, once it has refused some: it says so only of what is sent. */
import { Effect } from "effect"
import type { ConnectionNews } from "./connectionNews.ts"
import type { NatsSilent } from "./natsErrors.ts"

/** Between two attempts, in ms; NATS writes a line into its own log for each. */
const againMs = 2_000

/** What asking needs of the connection. */
export interface AskingToAnswer {
  readonly news: ConnectionNews
  /** Sends something to an inbox that nobody has. */
  readonly answerNobody: () => void
  /** Waits until all that NATS has refused before is known. */
  readonly judged: Effect.Effect<void, NatsSilent>
}

/** Asks from time to time, for ever. */
export const askingToAnswer = ({ answerNobody, judged, news }: AskingToAnswer): Effect.Effect<never> => {
  const askOnce = Effect.suspend(() => {
    const { refusedAnswers } = news
    answerNobody()
    return Effect.flatMap(judged, () => (news.refusedAnswers === refusedAnswers ? news.answersAllowed() : Effect.void))
  })
  const once = Effect.suspend(() => (news.mayAnswer || !news.isUp ? Effect.void : Effect.ignore(askOnce)))
  return Effect.forever(Effect.delay(once, againMs))
}
