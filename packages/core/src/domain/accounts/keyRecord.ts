/** What is known of a key once it was handed out, and how long it lives. */
import { Either } from "effect"
import { InvalidSetting } from "../settings/invalidSetting.ts"

/** A key without its secret, which nobody keeps. */
export interface KeyRecord {
  readonly apiKeyId: string
  readonly projectId: string
  readonly name: string | null
  readonly createdAtMs: number
  /** From this moment on the key is no longer valid; `null`: never. */
  readonly expiresAtMs: number | null
  readonly revokedAtMs: number | null
  /** When it was last presented, to about a minute; `null`: never yet. */
  readonly lastUsedAtMs: number | null
}

/** Whether a key is valid. */
export type KeyState = "active" | "expired" | "revoked"

/** What a key is at `nowMs`. */
export const keyStateAt = ({ expiresAtMs, revokedAtMs }: Pick<KeyRecord, "expiresAtMs" | "revokedAtMs">, nowMs: number): KeyState => {
  if (revokedAtMs !== null) return "revoked"
  return expiresAtMs === null || nowMs < expiresAtMs ? "active" : "expired"
}

/** The last moment that a date can show. */
const maxDateMs = 8_640_000_000_000_000

/** The moment at which a new key ends; left out, never. It has to lie ahead. */
export const checkedExpiry = (expiresAtMs: number | undefined, nowMs: number): Either.Either<number | null, InvalidSetting> => {
  if (expiresAtMs === undefined) return Either.right(null)
  return Number.isInteger(expiresAtMs) && expiresAtMs > nowMs && expiresAtMs <= maxDateMs
    ? Either.right(expiresAtMs)
    : Either.left(new InvalidSetting({ field: "expiresAtMs", rule: "must be a moment in the future, in milliseconds" }))
}

/** The longest time for which a rotated key may go on: 366 days. */
const maxOverlapMs = 31_622_400_000

/** How long a key and the one that takes its place are both valid. */
export const checkedOverlap = (overlapMs: number): Either.Either<number, InvalidSetting> =>
  Number.isInteger(overlapMs) && overlapMs >= 0 && overlapMs <= maxOverlapMs
    ? Either.right(overlapMs)
    : Either.left(new InvalidSetting({ field: "overlapMs", rule: `must be an integer from 0 to ${maxOverlapMs}` }))

/** When a key ends that is rotated at `nowMs`: after the overlap, or when it would have ended anyway. */
export const rotatedExpiry = (expiresAtMs: number | null, overlapMs: number, nowMs: number): number =>
  Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, nowMs + overlapMs)

/** How exactly the last use of a key is known. */
const lastUseGrainMs = 60_000

/** Whether a use at `nowMs` is worth writing down, given the last one that was. */
export const lastUseIsDue = (lastUsedAtMs: number | null, nowMs: number): boolean =>
  lastUsedAtMs === null || nowMs - lastUsedAtMs >= lastUseGrainMs
