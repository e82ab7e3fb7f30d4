/** The signing keys, as `sibyl signing-key` shows, rotates and keeps them. No answer contains a secret. */
import { resolve } from "node:path"
import {
  AuditTrail,
  keyAt,
  type AuditDetails,
  type ListedKey,
  type RotationRefused,
  type SigningKeyState,
  signingKeyStateAt
} from "@sibyl/core"
import { comingAt, fromHex, leastNoticeMs, publicKeyOfSecret } from "@sibyl/core/internal"
import {
  activateSigningKey,
  announceSigningKey,
  comingWithoutSecret,
  importSigningKey,
  keysWithSecrets,
  layerSqlAuditTrail,
  retireSigningKey,
  secretOfKey,
  signingKeys
} from "@sibyl/sql"
import { Clock, Effect, Option, Redacted } from "effect"
import { asked, refusedValue } from "../input/asked.ts"
import { durationMs, durationRule, durationText } from "../input/duration.ts"
import { momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed, type UsageError } from "../output/failure.ts"
import type { Colour, Paint } from "../output/paint.ts"
import { type Column, table } from "../output/table.ts"
import { operator } from "../service/operator.ts"
import { readSecretFile, writeSecretFile } from "./secretFile.ts"

const colours: Readonly<Record<SigningKeyState, Colour>> = {
  active: "green",
  announced: "yellow",
  scheduled: "yellow",
  retired: "dim",
  ended: "dim"
}

interface ShownKey {
  readonly key: ListedKey
  readonly state: SigningKeyState
  readonly hasSecret: boolean
}

const nullable = (atMs: number | null): string | null => (atMs === null ? null : momentText(atMs))

const columns: ReadonlyArray<Column<ShownKey>> = [
  { head: "key", cell: ({ key }, paint) => paint("bold", key.publicKey) },
  { head: "state", cell: ({ state }, paint) => paint(colours[state], state) },
  { head: "signs from", cell: ({ key }) => (key.activeFromMs === 0 ? "the beginning" : (nullable(key.activeFromMs) ?? "")) },
  { head: "to", cell: ({ key }) => nullable(key.retiredAtMs) ?? "" },
  { head: "valid until", cell: ({ key }) => nullable(key.validUntilMs) ?? "" },
  { head: "secret", cell: ({ hasSecret }) => (hasSecret ? "here" : "not here") }
]

const documentOf = ({ hasSecret, key, state }: ShownKey) => ({
  publicKey: key.publicKey,
  state,
  announcedAt: momentText(key.announcedAtMs),
  activeFrom: nullable(key.activeFromMs),
  retiredAt: nullable(key.retiredAtMs),
  validUntil: nullable(key.validUntilMs),
  hasSecret
})

const shownAnswer = (keys: ReadonlyArray<ListedKey>, note?: string) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const secrets = yield* keysWithSecrets
    const shown = keys.map((key) => ({ key, state: signingKeyStateAt(key, nowMs), hasSecret: secrets.has(key.publicKey) }))
    const answer: Answer = {
      document: { keys: shown.map(documentOf) },
      lines: (paint: Paint) => [...table(shown, columns, "no keys yet", paint), ...(note === undefined ? [] : [paint("dim", note)])]
    }
    return answer
  })

/** Adds an entry to the audit trail; its subject is a public key. */
const note = (action: string, subject: string, details: AuditDetails = {}) =>
  Effect.provide(
    Effect.flatMap(AuditTrail, (trail) => trail.add(operator(), { action: `signingKey.${action}`, subject, details })),
    layerSqlAuditTrail
  )

/** A step and its entry, of which both are kept or neither. */
const asOne = <A, E, R>(step: Effect.Effect<A, E, R>) =>
  Effect.provide(
    Effect.flatMap(AuditTrail, (trail) => trail.asOne(step)),
    layerSqlAuditTrail
  )

/** The key that was announced last. */
const newestOf = (keys: ReadonlyArray<ListedKey>): string =>
  keys.toSorted((left, right) => right.announcedAtMs - left.announcedAtMs)[0]?.publicKey ?? ""

const orFailed = <A, R>(step: Effect.Effect<A, RotationRefused, R>): Effect.Effect<A, CommandFailed, R> =>
  Effect.mapError(step, ({ message }) => new CommandFailed({ message }))

/** Every key that the database has or had. */
export const showSigningKeys = Effect.flatMap(signingKeys, (keys) => shownAnswer(keys))

/** Makes a key that signs nothing yet. */
export const announceKey = Effect.flatMap(
  asOne(Effect.tap(orFailed(announceSigningKey), (keys) => note("announce", newestOf(keys)))),
  (keys) => shownAnswer(keys, "GET /info lists the new key from now on; it signs once it is activated")
)

/** What no timestamp can name is a misprint. */
const longestMs = 100 * 366 * 86_400_000

const askedSpan = (field: string, text: string) =>
  asked(field, `${durationRule}, and at most ${durationText(longestMs)}`, text, (given) =>
    Option.filter(durationMs(given), (ms) => ms <= longestMs)
  )

/** How soon a key may take over depends on whether anybody can sign now. */
const orTooSoon =
  (inText: string) =>
  ({ isTooSoon, message }: RotationRefused): CommandFailed | UsageError =>
    isTooSoon === true
      ? refusedValue("--in", `${durationText(leastNoticeMs)} or more, so that every server knows of it`, inText)
      : new CommandFailed({ message })

/** Lets the announced key sign. */
export const activateKey = (inText: string, overlap: string) =>
  Effect.gen(function* () {
    const inMs = yield* askedSpan("--in", inText)
    const overlapMs = yield* askedSpan("--overlap", overlap)
    const activated = Effect.mapError(activateSigningKey(inMs, overlapMs), orTooSoon(inText))
    const keys = yield* asOne(Effect.tap(activated, (all) => note("activate", newestOf(all), { inMs, overlapMs })))
    return yield* shownAnswer(keys, "every server changes its key at this timestamp")
  })

/** Keys are compared as the database has them. */
const askedKey = (field: string, text: string) =>
  asked(field, "a public key: 66 hex characters, as sibyl signing-key show has it", text, (given) =>
    /^0[23][0-9a-f]{64}$/i.test(given) ? Option.some(given.toLowerCase()) : Option.none()
  )

/** Ends a key. */
export const retireKey = (key: string) =>
  Effect.gen(function* () {
    const publicKey = yield* askedKey("<key>", key)
    const keys = yield* asOne(Effect.tap(orFailed(retireSigningKey(publicKey)), note("retire", publicKey)))
    return yield* shownAnswer(keys, `${publicKey} has ended; its secret is removed`)
  })

/** Writes the secret of the key that signs now, or of `key`, into a new file that only its owner can read. */
export const exportKey = (file: string, key: string | undefined) =>
  Effect.gen(function* () {
    const publicKey = key === undefined ? undefined : yield* askedKey("--key", key)
    const nowMs = yield* Clock.currentTimeMillis
    const keys = yield* signingKeys
    if (publicKey !== undefined && !keys.some((one) => one.publicKey === publicKey)) {
      return yield* new CommandFailed({ message: `${publicKey} is no signing key of this database` })
    }
    const wanted = publicKey ?? keyAt(keys, nowMs)?.publicKey ?? ""
    const secret = yield* secretOfKey(wanted)
    const path = resolve(file)
    yield* writeSecretFile(path, Buffer.from(Redacted.value(secret)).toString("hex"))
    yield* note("export", wanted)
    const coming = comingAt(keys, nowMs)?.publicKey
    const answer: Answer = {
      document: { file: path, publicKey: wanted },
      lines: (paint) => [
        `the secret of ${wanted} is in ${path}, which only its owner can read: whoever has it can sign`,
        ...(coming === undefined || coming === wanted ? [] : [paint("yellow", `${coming} is announced: export it, too, with --key`)])
      ]
    }
    return answer
  })

/** Puts a secret back that was exported. */
export const importKey = (file: string) =>
  Effect.gen(function* () {
    const secret = fromHex((yield* readSecretFile(resolve(file))).trim())
    if (secret === undefined)
      return yield* new CommandFailed({ message: `${file} is no file of sibyl signing-key export, which is a line of hex` })
    const imported = orFailed(importSigningKey(Redacted.make(secret)))
    const keys = yield* asOne(Effect.tap(imported, () => note("import", publicKeyOfSecret(secret))))
    const coming = yield* comingWithoutSecret
    const missing =
      coming === undefined ? "" : `; that of ${coming.publicKey}, which is announced, is not: import it, too, or retire that key`
    return yield* shownAnswer(keys, `the secret is in the database now${missing}`)
  })
