/** The steps of a rotation: a key is announced, activated at a moment that every server knows before, and its predecessor ends. */
import { Data, Either } from "effect"
import { keyAt, type ListedKey, signingKeyStateAt } from "./listedKey.ts"

/** A step that does not follow from the keys as they are. */
export class RotationRefused extends Data.TaggedError("RotationRefused")<{
  readonly message: string
  /** Whether it is the notice that was asked for: too little. */
  readonly isTooSoon?: true
}> {}

/** The keys after a step. */
export type Rotated = Either.Either<ReadonlyArray<ListedKey>, RotationRefused>

/**
 * How long before its first signature an activation is stored at least. A server that has not read the keys for
 * {@link longestUnreadMs} reads them before it signs, so that all servers change at the same timestamp. The difference of the two bounds how
 * far clocks may disagree.
 */
export const leastNoticeMs = 30_000

/** For how long a server signs with what it knows of the keys. */
export const longestUnreadMs = 10_000

const refuse = (message: string, why: { readonly isTooSoon?: true } = {}): Rotated => Either.left(new RotationRefused({ message, ...why }))

/** The key that is announced, or to be activated; at most one is. */
export const comingAt = (keys: ReadonlyArray<ListedKey>, nowMs: number): ListedKey | undefined =>
  keys.find((key) => ["announced", "scheduled"].includes(signingKeyStateAt(key, nowMs)))

/** Adds a key that signs nothing yet. The first key of a service signs at once, and all timestamps. One key is announced at a time. */
export const announceKey = (keys: ReadonlyArray<ListedKey>, publicKey: string, nowMs: number): Rotated => {
  const coming = comingAt(keys, nowMs)
  if (coming !== undefined) return refuse(`${coming.publicKey} is announced already: activate it, or retire it first`)
  if (keys.some((key) => key.publicKey === publicKey)) return refuse(`${publicKey} is, or was, a signing key already`)
  const activeFromMs = keys.length === 0 ? 0 : null
  return Either.right([...keys, { publicKey, announcedAtMs: nowMs, activeFromMs, retiredAtMs: null, validUntilMs: null }])
}

/** When the announced key takes over, and for how long its predecessor's results are accepted after that. */
export interface Activation {
  readonly nowMs: number
  readonly atMs: number
  readonly overlapMs: number
  /** Nobody can sign now, so nobody needs notice: the secret of the present key is lost. */
  readonly isUrgent?: boolean
  /** The public keys whose secrets are at hand: another one could sign nothing. Absent: all are. */
  readonly withSecrets?: ReadonlySet<string>
}

/** Lets the announced key sign from `atMs` on. Its predecessor signs up to then, and stays valid for what it signed until the overlap ends. */
export const activateKey = (
  keys: ReadonlyArray<ListedKey>,
  { atMs, isUrgent = false, nowMs, overlapMs, withSecrets }: Activation
): Rotated => {
  const next = comingAt(keys, nowMs)
  if (next === undefined) return refuse("no key is announced")
  if (next.activeFromMs !== null) return refuse(`${next.publicKey} is to be activated already; retire it to take that back`)
  if (withSecrets?.has(next.publicKey) === false) {
    return refuse(`the secret of ${next.publicKey}, which is announced, is not here: import it, or retire the key and announce another`)
  }
  if (atMs < nowMs + (isUrgent ? 0 : leastNoticeMs)) {
    return refuse(`an activation must be at least ${leastNoticeMs / 1_000} s ahead, so that every server knows of it`, { isTooSoon: true })
  }
  const present = keyAt(keys, atMs)
  return Either.right(
    keys.map((key) => {
      if (key === next) return { ...key, activeFromMs: atMs }
      return key === present ? { ...key, retiredAtMs: atMs, validUntilMs: atMs + overlapMs } : key
    })
  )
}

/**
 * Ends a key: what it signed is not accepted any more. One that was to be activated is taken off the list, and its predecessor goes on, unless
 * the activation is so near that servers may not learn of it in time. The key that signs now cannot be ended.
 */
export const retireKey = (keys: ReadonlyArray<ListedKey>, publicKey: string, nowMs: number): Rotated => {
  const key = keys.find((one) => one.publicKey === publicKey)
  if (key === undefined) return refuse(`${publicKey} is no signing key of this database`)
  switch (signingKeyStateAt(key, nowMs)) {
    case "active":
      return refuse(`${publicKey} signs now: announce and activate another key first`)
    case "ended":
      return refuse(`${publicKey} has ended already`)
    case "retired":
      return Either.right(keys.map((one) => (one === key ? { ...one, validUntilMs: nowMs } : one)))
    case "announced":
    case "scheduled": {
      const { activeFromMs } = key
      if (activeFromMs !== null && activeFromMs < nowMs + leastNoticeMs) {
        return refuse(`${publicKey} signs in less than ${leastNoticeMs / 1_000} s: that cannot be taken back`)
      }
      const others = keys.filter((one) => one !== key)
      return Either.right(
        others.map((one) =>
          activeFromMs !== null && one.retiredAtMs === activeFromMs ? { ...one, retiredAtMs: null, validUntilMs: null } : one
        )
      )
    }
  }
}
