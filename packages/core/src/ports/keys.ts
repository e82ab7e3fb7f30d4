/** The port through which an operator issues and revokes API keys. */
import { Context, type Effect, Either, type Redacted } from "effect"
import { checkedName } from "../domain/settings/displayName.ts"
import type { InvalidSetting } from "../domain/settings/invalidSetting.ts"
import { checkedExpiry, checkedOverlap, type KeyRecord } from "../domain/accounts/keyRecord.ts"
import type { KeyEnded, KeyNotFound, ProjectNotFound } from "./accountErrors.ts"

/** The options of a new key. */
export interface NewKey {
  readonly name?: string | null
  /** In the future; if absent, the key does not expire. */
  readonly expiresAtMs?: number
}

/** How a key is rotated. The new key has the old one's name unless another is given. */
export interface Rotation extends NewKey {
  /** How long both keys are valid, at most; 0 ends the old one at once. */
  readonly overlapMs: number
}

/** A key as issued; it is shown only once. */
export interface IssuedKey {
  readonly apiKeyId: string
  readonly key: Redacted.Redacted
}

/** The checked form of a {@link NewKey}. */
export const checkedNewKey = (
  { expiresAtMs, name = null }: NewKey,
  nowMs: number
): Either.Either<Pick<KeyRecord, "name" | "expiresAtMs">, InvalidSetting> =>
  Either.all({ name: checkedName("name", name), expiresAtMs: checkedExpiry(expiresAtMs, nowMs) })

/** The checked form of a {@link Rotation} of a key named `oldName`. */
export const checkedRotation = (
  { overlapMs, ...fields }: Rotation,
  oldName: string | null,
  nowMs: number
): Either.Either<Pick<KeyRecord, "name" | "expiresAtMs"> & { readonly overlapMs: number }, InvalidSetting> =>
  Either.all({ overlapMs: checkedOverlap(overlapMs), next: checkedNewKey({ name: oldName, ...fields }, nowMs) }).pipe(
    Either.map((checked) => ({ ...checked.next, overlapMs: checked.overlapMs }))
  )

/** Issues, rotates and revokes keys. As soon as a key is invalid, its requests get 401, and its sockets are closed. */
export class Keys extends Context.Tag("@sibyl/core/Keys")<
  Keys,
  {
    readonly issue: (projectId: string, key?: NewKey) => Effect.Effect<IssuedKey, InvalidSetting | ProjectNotFound>
    /** Revokes a key. Revoking it again changes nothing. Returns whether it was not revoked before. */
    readonly revoke: (apiKeyId: string) => Effect.Effect<boolean, KeyNotFound>
    /** Issues a replacement for a valid key, which ends after the overlap or at its own expiry if that is earlier. */
    readonly rotate: (apiKeyId: string, rotation: Rotation) => Effect.Effect<IssuedKey, InvalidSetting | KeyNotFound | KeyEnded>
    /** Every key that the project ever had, oldest first. */
    readonly list: (projectId: string) => Effect.Effect<ReadonlyArray<KeyRecord>, ProjectNotFound>
  }
>() {}
