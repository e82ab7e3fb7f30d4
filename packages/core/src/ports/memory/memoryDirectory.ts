/** Keys and projects as the service reads them, in memory. */
import { Clock, type Context, Effect, Option, Redacted } from "effect"
import { keyIdFor, keyOpens, keyRefused } from "../../domain/accounts/authentication.ts"
import { keyStateAt, lastUseIsDue, projectKeysOf } from "../../domain/accounts/keyRecord.ts"
import type { Principal } from "../../domain/accounts/project.ts"
import type { Directory } from "../directory.ts"
import { existing, type MemoryKey, type MemoryState } from "./memoryState.ts"

const noteUse = (state: MemoryState, apiKeyId: string, nowMs: number): void => {
  const key = existing(state.keys, apiKeyId, "key")
  if (lastUseIsDue(key.lastUsedAtMs, nowMs)) state.keys.set(apiKeyId, { ...key, lastUsedAtMs: nowMs })
}

const principalOf = (state: MemoryState, { apiKeyId, expiresAtMs, projectId }: MemoryKey): Principal => ({
  apiKeyId,
  apiKeyExpiresAtMs: expiresAtMs,
  project: existing(state.projects, projectId, "project")
})

/** The directory over a state. */
export const memoryDirectory = (state: MemoryState): Context.Tag.Service<Directory> => ({
  authenticate: (redacted) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const key = Redacted.value(redacted)
      const stored = state.keys.get(keyIdFor(state.network, key) ?? "")
      if (!keyOpens(key, stored, nowMs)) return Effect.fail(keyRefused())
      noteUse(state, stored.apiKeyId, nowMs)
      return Effect.succeed(principalOf(state, existing(state.keys, stored.apiKeyId, "key")))
    }),
  owner: (apiKeyId) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const stored = state.keys.get(apiKeyId)
      return stored === undefined || keyStateAt(stored, nowMs) !== "active"
        ? Effect.fail(keyRefused())
        : Effect.succeed(principalOf(state, stored))
    }),
  keys: (projectId) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) =>
      projectKeysOf(
        [...state.keys.values()].filter((key) => key.projectId === projectId),
        nowMs
      )
    ),
  project: (projectId) => Effect.sync(() => Option.fromNullable(state.projects.get(projectId)))
})
