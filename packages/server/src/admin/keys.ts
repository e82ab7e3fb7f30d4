/** API keys, as `sibyl key` issues, rotates and revokes them. */
import { Directory, type IssuedKey, type KeyRecord, type KeyState, Keys, keyStateAt } from "@sibyl/core"
import { checkedExpiry, checkedOverlap, maxOverlapMs } from "@sibyl/core/internal"
import { Clock, Effect, Either, Option, Redacted } from "effect"
import { type Asked, asked } from "../input/asked.ts"
import { durationMs, durationRule, durationText } from "../input/duration.ts"
import { readKeyId } from "../input/keyId.ts"
import { momentMs, momentRule, momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import type { Colour } from "../output/paint.ts"
import { type Column, table } from "../output/table.ts"
import { namingOptions } from "./namingOptions.ts"

/** The options for a new key, as typed. */
export interface KeyOptions {
  readonly name: Option.Option<string>
  readonly expires: Option.Option<string>
}

const newKeyOf = ({ expires, name }: KeyOptions, nowMs: number): Asked<{ name?: string; expiresAtMs?: number }> =>
  Either.map(
    Option.match(expires, {
      onNone: () => Either.right({}),
      onSome: (text) =>
        Either.map(
          asked("--expires", `${momentRule}, in the future and before the year 275760`, text, (given) =>
            Option.filter(momentMs(given, nowMs), (expiresAtMs) => Either.isRight(checkedExpiry(expiresAtMs, nowMs)))
          ),
          (expiresAtMs) => ({ expiresAtMs })
        )
    }),
    (ends) => ({ ...ends, ...Option.match(name, { onNone: () => ({}), onSome: (text) => ({ name: text }) }) })
  )

/** The answer that shows a new key, which is shown only this once. */
const issuedAnswer = ({ apiKeyId, key }: IssuedKey, note: string): Answer => ({
  document: { apiKeyId, key: Redacted.value(key) },
  lines: (paint) => [Redacted.value(key), paint("dim", `key ${apiKeyId}, shown only now: it is stored as a hash. ${note}`.trimEnd())]
})

/** Issues a key of a project. */
export const createKey = (projectId: string, options: KeyOptions) =>
  Effect.gen(function* () {
    const wanted = yield* newKeyOf(options, yield* Clock.currentTimeMillis)
    const keys = yield* Keys
    return issuedAnswer(yield* namingOptions(keys.issue(projectId, wanted)), "")
  })

/** Replaces a key with a new one; the old one stays valid for the overlap. */
export const rotateKey = (key: string, overlap: string, options: KeyOptions) =>
  Effect.gen(function* () {
    const apiKeyId = yield* readKeyId(key)
    const wanted = yield* newKeyOf(options, yield* Clock.currentTimeMillis)
    const overlapMs = yield* asked("--overlap", `${durationRule}, and at most ${durationText(maxOverlapMs)}`, overlap, (given) =>
      Option.filter(durationMs(given), (ms) => Either.isRight(checkedOverlap(ms)))
    )
    const keys = yield* Keys
    const issued = yield* namingOptions(keys.rotate(apiKeyId, { ...wanted, overlapMs }))
    return issuedAnswer(issued, overlapMs === 0 ? `${apiKeyId} has ended.` : `${apiKeyId} goes on for ${overlap}.`)
  })

/** Revokes a key, and says so if its project has no other that is valid. */
export const revokeKey = (key: string) =>
  Effect.gen(function* () {
    const apiKeyId = yield* readKeyId(key)
    const directory = yield* Directory
    // Absent if the key is not valid any more.
    const owner = yield* Effect.option(directory.owner(apiKeyId))
    const isRevoked = yield* Effect.flatMap(Keys, (keys) => keys.revoke(apiKeyId))
    const left = isRevoked && Option.isSome(owner) ? yield* directory.keys(owner.value.project.projectId) : undefined
    const wasLast = left?.length === 0
    const answer: Answer = {
      document: { apiKeyId, state: "revoked", wasLast },
      lines: (paint) => [
        isRevoked
          ? `key ${apiKeyId} is revoked: it is answered 401, and its connections are being closed`
          : `key ${apiKeyId} was revoked before; nothing has changed`,
        ...(wasLast ? [paint("yellow", "its project has no valid key any more")] : [])
      ]
    }
    return answer
  })

const colours: Readonly<Record<KeyState, Colour>> = { active: "green", expired: "dim", revoked: "red" }

const momentOr = (atMs: number | null, otherwise: string): string => (atMs === null ? otherwise : momentText(atMs))

const columnsAt = (nowMs: number): ReadonlyArray<Column<KeyRecord>> => [
  { head: "key", cell: ({ apiKeyId }, paint) => paint("bold", apiKeyId) },
  { head: "state", cell: (key, paint) => paint(colours[keyStateAt(key, nowMs)], keyStateAt(key, nowMs)) },
  { head: "name", cell: ({ name }) => name ?? "" },
  { head: "created", cell: ({ createdAtMs }) => momentText(createdAtMs) },
  { head: "expires", cell: ({ expiresAtMs }) => momentOr(expiresAtMs, "never") },
  { head: "last used", cell: ({ lastUsedAtMs }) => momentOr(lastUsedAtMs, "never") }
]

const nullableMoment = (atMs: number | null): string | null => (atMs === null ? null : momentText(atMs))

const documentOf = (key: KeyRecord, nowMs: number) => ({
  apiKeyId: key.apiKeyId,
  projectId: key.projectId,
  name: key.name,
  state: keyStateAt(key, nowMs),
  createdAt: momentText(key.createdAtMs),
  expiresAt: nullableMoment(key.expiresAtMs),
  revokedAt: nullableMoment(key.revokedAtMs),
  lastUsedAt: nullableMoment(key.lastUsedAtMs)
})

/** Lists every key that a project ever had, without secrets, which are stored nowhere. */
export const listKeys = (projectId: string) =>
  Effect.gen(function* () {
    const listed = yield* Effect.flatMap(Keys, (keys) => keys.list(projectId))
    const nowMs = yield* Clock.currentTimeMillis
    const answer: Answer = {
      document: { keys: listed.map((key) => documentOf(key, nowMs)) },
      lines: (paint) => table(listed, columnsAt(nowMs), "no keys yet: sibyl key create makes one", paint)
    }
    return answer
  })
