/** The laws of managing keys: issued, listed, rotated with an overlap, revoked, and their last use. */
import { Directory, type IssuedKey, type KeyRecord, Keys } from "@sibyl/core"
import { readApiKey } from "@sibyl/core/internal"
import { Effect, Redacted } from "effect"
import { holdsThat, isEqual, type Law } from "./form/law.ts"
import { isRefused, type LawBody, storeLaws } from "./form/storeLaws.ts"
import { fundedProject, lawStartMs, type MakeStores } from "./form/stores.ts"

const nobody = "00000000-0000-4000-8000-000000000000"
const noKey = "0123456789ab"

/** Which of the keys are valid now. */
const validOf = (keys: ReadonlyArray<IssuedKey>) =>
  Effect.flatMap(Directory, (directory) => Effect.forEach(keys, ({ key }) => Effect.isSuccess(directory.authenticate(key))))

const recordOf = (projectId: string, apiKeyId: string) =>
  Effect.flatMap(Keys, (keys) => Effect.map(keys.list(projectId), (records) => records.find((record) => record.apiKeyId === apiKeyId)))

const listed: LawBody = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const [{ projectId }, neighbour] = [yield* fundedProject(0n), yield* fundedProject(0n)]
    yield* isEqual(yield* keys.list(projectId), [], "the keys of a new project")
    const first = yield* keys.issue(projectId)
    clock.advance(5)
    const second = yield* keys.issue(projectId, { name: "the price page", expiresAtMs: lawStartMs + 10 })
    yield* keys.issue(neighbour.projectId)
    clock.advance(5)
    yield* isEqual(yield* keys.revoke(first.apiKeyId), true, "whether revoking a key has changed it")
    clock.advance(5)
    yield* isEqual(yield* keys.revoke(first.apiKeyId), false, "whether revoking a key again has changed it")
    const records: ReadonlyArray<KeyRecord> = [
      {
        apiKeyId: first.apiKeyId,
        projectId,
        name: null,
        createdAtMs: lawStartMs,
        expiresAtMs: null,
        revokedAtMs: lawStartMs + 10,
        lastUsedAtMs: null
      },
      {
        apiKeyId: second.apiKeyId,
        projectId,
        name: "the price page",
        createdAtMs: lawStartMs + 5,
        expiresAtMs: lawStartMs + 10,
        revokedAtMs: null,
        lastUsedAtMs: null
      }
    ]
    yield* isEqual(yield* keys.list(projectId), records, "the keys, oldest first")
    yield* isEqual(readApiKey(Redacted.value(second.key))?.apiKeyId, second.apiKeyId, "the public id in the key")
    yield* holdsThat(!JSON.stringify(records).includes(Redacted.value(second.key)), "no record holds a key")
  })

const refusals: LawBody = () =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { projectId } = yield* fundedProject(0n)
    yield* isRefused(keys.issue(nobody), "ProjectNotFound", "a key for an unknown project")
    yield* isRefused(keys.list(nobody), "ProjectNotFound", "the keys of an unknown project")
    yield* isRefused(keys.revoke(noKey), "KeyNotFound", "revoking an unknown key")
    yield* isRefused(keys.rotate(noKey, { overlapMs: 0 }), "KeyNotFound", "rotating an unknown key")
    for (const expiresAtMs of [lawStartMs, 0, -1, lawStartMs + 0.5, Number.NaN, Number.POSITIVE_INFINITY, 9e15]) {
      yield* isRefused(keys.issue(projectId, { expiresAtMs }), { field: "expiresAtMs" }, `an expiry at ${expiresAtMs}`)
    }
    yield* isRefused(keys.issue(projectId, { name: " " }), { field: "name" }, "a blank name")
    yield* isEqual(yield* keys.list(projectId), [], "the keys after all that")
    const { apiKeyId } = yield* keys.issue(projectId)
    for (const overlapMs of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const refused = keys.rotate(apiKeyId, { overlapMs })
      yield* isRefused(refused, { field: "overlapMs" }, `an overlap of ${overlapMs}`)
    }
    const past = keys.rotate(apiKeyId, { overlapMs: 5, expiresAtMs: lawStartMs })
    yield* isRefused(past, { field: "expiresAtMs" }, "a new key of the past")
    yield* isEqual((yield* recordOf(projectId, apiKeyId))?.expiresAtMs, null, "the key that was not rotated")
    yield* isEqual((yield* keys.list(projectId)).length, 1, "how many keys there are")
  })

const rotation: LawBody = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { projectId } = yield* fundedProject(0n)
    const old = yield* keys.issue(projectId, { name: "the price page" })
    const next = yield* keys.rotate(old.apiKeyId, { overlapMs: 1_000 })
    yield* holdsThat(next.apiKeyId !== old.apiKeyId, "the new key has an id of its own")
    yield* isEqual((yield* recordOf(projectId, next.apiKeyId))?.name, "the price page", "the new key's name")
    yield* isEqual((yield* recordOf(projectId, old.apiKeyId))?.expiresAtMs, lawStartMs + 1_000, "the old key's end")
    clock.advance(999)
    yield* isEqual(yield* validOf([old, next]), [true, true], "both keys in the overlap")
    clock.advance(1)
    yield* isEqual(yield* validOf([old, next]), [false, true], "both keys after it")
    yield* isRefused(keys.rotate(old.apiKeyId, { overlapMs: 0 }), "KeyEnded", "rotating an expired key")
    const last = yield* keys.rotate(next.apiKeyId, { overlapMs: 0, name: null, expiresAtMs: lawStartMs + 5_000 })
    yield* isEqual(yield* validOf([old, next, last]), [false, false, true], "the keys with no overlap")
    yield* isEqual((yield* recordOf(projectId, last.apiKeyId))?.name, null, "a name that was taken away")
    clock.advance(4_000)
    yield* isEqual(yield* validOf([last]), [false], "the last key at its own end")
  })

const shorterEnd: LawBody = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { projectId } = yield* fundedProject(0n)
    const old = yield* keys.issue(projectId, { expiresAtMs: lawStartMs + 10 })
    const next = yield* keys.rotate(old.apiKeyId, { overlapMs: 1_000 })
    yield* isEqual((yield* recordOf(projectId, old.apiKeyId))?.expiresAtMs, lawStartMs + 10, "the old key's own end")
    const other = yield* keys.rotate(old.apiKeyId, { overlapMs: 5 })
    yield* isEqual((yield* recordOf(projectId, old.apiKeyId))?.expiresAtMs, lawStartMs + 5, "an end brought forward")
    clock.advance(5)
    yield* isEqual(yield* validOf([old, next, other]), [false, true, true], "the keys after it")
    yield* keys.revoke(next.apiKeyId)
    yield* isRefused(keys.rotate(next.apiKeyId, { overlapMs: 5 }), "KeyEnded", "rotating a revoked key")
    yield* isEqual(yield* validOf([next, other]), [false, true], "the keys after that")
  })

/** The last use once it is `expected`, which a store may take a moment to write. */
const lastUse = (projectId: string, apiKeyId: string, expected: number) =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 500; tries += 1) {
      if ((yield* recordOf(projectId, apiKeyId))?.lastUsedAtMs === expected) break
      yield* Effect.sleep(10)
    }
    return (yield* recordOf(projectId, apiKeyId))?.lastUsedAtMs
  })

const lastUses: LawBody = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { projectId } = yield* fundedProject(0n)
    const [used, idle] = [yield* keys.issue(projectId), yield* keys.issue(projectId)]
    clock.advance(7)
    yield* validOf([used])
    yield* isEqual(yield* lastUse(projectId, used.apiKeyId, lawStartMs + 7), lawStartMs + 7, "the first use")
    clock.advance(59_999)
    yield* validOf([used])
    clock.advance(1)
    yield* validOf([used])
    // If the use within the minute had been written, it would have been written first.
    yield* isEqual(yield* lastUse(projectId, used.apiKeyId, lawStartMs + 60_007), lawStartMs + 60_007, "a minute later")
    clock.advance(30_000)
    yield* validOf([used])
    yield* isEqual((yield* recordOf(projectId, idle.apiKeyId))?.lastUsedAtMs, null, "a key that nobody used")
    yield* keys.revoke(used.apiKeyId)
    clock.advance(60_000)
    yield* validOf([used])
    const other = yield* keys.issue(projectId)
    const nowMs = lawStartMs + 150_007
    yield* validOf([other])
    yield* isEqual(yield* lastUse(projectId, other.apiKeyId, nowMs), nowMs, "the use of another key")
    const refused = (yield* recordOf(projectId, used.apiKeyId))?.lastUsedAtMs
    yield* isEqual(refused, lawStartMs + 60_007, "a refused key was not used")
  })

/** The laws of keys, over stores from `makeStores`. */
export const keyLaws = (makeStores: MakeStores): ReadonlyArray<Law> =>
  storeLaws(
    {
      "a project's keys are listed with their dates and without their secrets": listed,
      "an invalid key is refused with the field that is wrong, and nothing is stored": refusals,
      "both keys are valid while a rotation overlaps, then the new one alone": rotation,
      "a rotation never makes a key last longer": shorterEnd,
      "the last use of a key is accurate to a minute, and a refusal is no use": lastUses
    },
    makeStores
  )
