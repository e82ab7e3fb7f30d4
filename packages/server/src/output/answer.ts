/** The answer of a command: one JSON document for scripts, lines for people. */
import { Effect } from "effect"
import { jsonDocument } from "./jsonDocument.ts"
import { type Paint, paintFor } from "./paint.ts"

/** An answer in both forms. The document's names are stable: scripts rely on them. */
export interface Answer {
  readonly document: unknown
  readonly lines: (paint: Paint) => ReadonlyArray<string>
}

/** Prints it on stdout. */
export const show = (answer: Answer, json: boolean): Effect.Effect<void> =>
  Effect.sync(() => {
    const text = json ? jsonDocument(answer.document) : answer.lines(paintFor(process.stdout)).join("\n")
    process.stdout.write(`${text}\n`)
  })
