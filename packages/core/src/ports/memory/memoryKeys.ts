/** API keys as an operator issues and revokes them, in memory. */
import { Clock, type Context, Effect, Redacted } from "effect"
import { apiKeyEntropyBytes, makeApiKey } from "../../domain/accounts/apiKey.ts"
import { type KeyRecord, keyStateAt, rotatedExpiry } from "../../domain/accounts/keyRecord.ts"
import { KeyEnded, KeyNotFound, ProjectNotFound } from "../accountErrors.ts"
import type { Entropy } from "../entropy.ts"
import { checkedNewKey, checkedRotation, type IssuedKey, type Keys, type Rotation } from "../keys.ts"
import type { MemoryKey, MemoryState } from "./memoryState.ts"

const recordOf = ({ hash: _hash, ...record }: MemoryKey): KeyRecord => record

const addKey = (
  state: MemoryState,
  entropy: Uint8Array,
  fields: Pick<KeyRecord, "projectId" | "name" | "createdAtMs" | "expiresAtMs">
): IssuedKey => {
  const { apiKeyId, hash, key } = makeApiKey(state.network, entropy)
  state.keys.set(apiKeyId, { ...fields, apiKeyId, hash, revokedAtMs: null, lastUsedAtMs: null })
  return { apiKeyId, key: Redacted.make(key) }
}

const findKey = (state: MemoryState, apiKeyId: string) => {
  const key = state.keys.get(apiKeyId)
  return key === undefined ? new KeyNotFound({ apiKeyId }) : Effect.succeed(key)
}

const rotate = (state: MemoryState, bytes: Uint8Array, apiKeyId: string, rotation: Rotation) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const old = yield* findKey(state, apiKeyId)
    const endedAs = keyStateAt(old, nowMs)
    if (endedAs !== "active") return yield* new KeyEnded({ apiKeyId, state: endedAs })
    const { expiresAtMs, name, overlapMs } = yield* checkedRotation(rotation, old.name, nowMs)
    state.keys.set(apiKeyId, { ...old, expiresAtMs: rotatedExpiry(old.expiresAtMs, overlapMs, nowMs) })
    return addKey(state, bytes, { projectId: old.projectId, name, createdAtMs: nowMs, expiresAtMs })
  })

/** The keys over a state. */
export const memoryKeys = (state: MemoryState, entropy: Context.Tag.Service<Entropy>): Context.Tag.Service<Keys> => ({
  issue: (projectId, wanted = {}) =>
    Effect.gen(function* () {
      const bytes = yield* entropy.bytes(apiKeyEntropyBytes)
      const createdAtMs = yield* Clock.currentTimeMillis
      if (!state.projects.has(projectId)) return yield* new ProjectNotFound({ projectId })
      const fields = yield* checkedNewKey(wanted, createdAtMs)
      return addKey(state, bytes, { projectId, createdAtMs, ...fields })
    }),
  revoke: (apiKeyId) =>
    Effect.gen(function* () {
      const revokedAtMs = yield* Clock.currentTimeMillis
      const key = yield* findKey(state, apiKeyId)
      if (key.revokedAtMs !== null) return false
      state.keys.set(apiKeyId, { ...key, revokedAtMs })
      return true
    }),
  rotate: (apiKeyId, rotation) => Effect.flatMap(entropy.bytes(apiKeyEntropyBytes), (bytes) => rotate(state, bytes, apiKeyId, rotation)),
  list: (projectId) =>
    Effect.suspend(() =>
      state.projects.has(projectId)
        ? Effect.succeed([...state.keys.values()].filter((key) => key.projectId === projectId).map(recordOf))
        : new ProjectNotFound({ projectId })
    )
})
