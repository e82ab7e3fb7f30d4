/** The record of an issued key, and its lifetime. */
import { Either } from "effect"
import { InvalidSetting } from "../settings/invalidSetting.ts"

/** A key without its secret, which is not stored. */
export interface KeyRecord {
  readonly apiKeyId: string
  readonly projectId: string
  readonly name: string | null
  readonly createdAtMs: number
  /** The key is invalid from this time on; `null`: never. */
  readonly expiresAtMs: number | null
  readonly revokedAtMs: number | null
  /** When it was last presented, accurate to about a minute; `null`: never. */
  readonly lastUsedAtMs: number | null
}

/** A key as its project may see it. */
export type ProjectKey = Pick<KeyRecord, "name" | "createdAtMs" | "expiresAtMs">

/** Whether a key is valid. */
export type KeyState = "active" | "expired" | "revoked"

/** The state of a key at `nowMs`. */
export const keyStateAt = ({ expiresAtMs, revokedAtMs }: Pick<KeyRecord, "expiresAtMs" | "revokedAtMs">, nowMs: number): KeyState => {
  if (revokedAtMs !== null) return "revoked"
  return expiresAtMs === null || nowMs < expiresAtMs ? "active" : "expired"
}

/** Those of a project's keys that are valid at `nowMs`, as the project may see them. */
export const projectKeysOf = (keys: ReadonlyArray<ProjectKey & Pick<KeyRecord, "revokedAtMs">>, nowMs: number): ReadonlyArray<ProjectKey> =>
  keys
    .filter((key) => keyStateAt(key, nowMs) === "active")
    .map(({ createdAtMs, expiresAtMs, name }) => ({ name, createdAtMs, expiresAtMs }))

/** The latest time that a date can represent. */
const maxDateMs = 8_640_000_000_000_000

/** The time at which a new key expires; `undefined` means never. It must be in the future. */
export const checkedExpiry = (expiresAtMs: number | undefined, nowMs: number): Either.Either<number | null, InvalidSetting> => {
  if (expiresAtMs === undefined) return Either.right(null)
  return Number.isInteger(expiresAtMs) && expiresAtMs > nowMs && expiresAtMs <= maxDateMs
    ? Either.right(expiresAtMs)
    : Either.left(new InvalidSetting({ field: "expiresAtMs", rule: "must be a moment in the future, in milliseconds" }))
}

/** The longest time for which a rotated key may stay valid: 366 days. */
export const maxOverlapMs = 31_622_400_000

/** How long a key and its replacement are both valid. */
export const checkedOverlap = (overlapMs: number): Either.Either<number, InvalidSetting> =>
  Number.isInteger(overlapMs) && overlapMs >= 0 && overlapMs <= maxOverlapMs
    ? Either.right(overlapMs)
    : Either.left(new InvalidSetting({ field: "overlapMs", rule: `must be an integer from 0 to ${maxOverlapMs}` }))

/** When a key expires that is rotated at `nowMs`: after the overlap, or at its own expiry if that is earlier. */
export const rotatedExpiry = (expiresAtMs: number | null, overlapMs: number, nowMs: number): number =>
  Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, nowMs + overlapMs)

/** The accuracy of the last use of a key. */
const lastUseGrainMs = 60_000

/** Whether a use at `nowMs` should be written, given the last one that was written. */
export const lastUseIsDue = (lastUsedAtMs: number | null, nowMs: number): boolean =>
  lastUsedAtMs === null || nowMs - lastUsedAtMs >= lastUseGrainMs
