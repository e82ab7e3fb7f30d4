/** The laws of keys: a key gives access to its project while it is valid, and refusals are indistinguishable. */
import { apiKeyEntropyBytes, Directory, type IssuedKey, Keys, makeApiKey, type Unauthorized } from "@sibyl/core"
import { fromHex, readApiKey } from "@sibyl/core/internal"
import { Effect, Redacted } from "effect"
import { holdsThat, isEqual, type Law } from "./form/law.ts"
import { type LawBody, storeLaws } from "./form/storeLaws.ts"
import { fundedProject, lawBytes, lawStartMs, type MakeStores } from "./form/stores.ts"

const authenticate = (key: string) => Effect.flatMap(Directory, (directory) => directory.authenticate(Redacted.make(key)))

const refusalOf = (key: string): Effect.Effect<Unauthorized | undefined, never, Directory> =>
  Effect.merge(Effect.as(Effect.flip(Effect.flip(authenticate(key))), undefined))

/** A well-formed key of a network with the id of `issued`, and a secret that was never issued. */
const forged = (network: string, issued: IssuedKey) =>
  Effect.map(lawBytes(apiKeyEntropyBytes), (entropy) => {
    entropy.set(fromHex(issued.apiKeyId) ?? new Uint8Array())
    return makeApiKey(network, entropy).key
  })

const validKeys: LawBody = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const [mine, other] = [yield* fundedProject(0n), yield* fundedProject(0n)]
    const first = yield* keys.issue(mine.projectId)
    const second = yield* keys.issue(mine.projectId, { expiresAtMs: lawStartMs + 1_000 })
    const third = yield* keys.issue(other.projectId)
    const principals = yield* Effect.orDie(Effect.forEach([first, second, third], ({ key }) => authenticate(Redacted.value(key))))
    yield* isEqual(
      principals,
      [
        { apiKeyId: first.apiKeyId, apiKeyExpiresAtMs: null, project: mine },
        { apiKeyId: second.apiKeyId, apiKeyExpiresAtMs: lawStartMs + 1_000, project: mine },
        { apiKeyId: third.apiKeyId, apiKeyExpiresAtMs: null, project: other }
      ],
      "who the keys belong to"
    )
    clock.advance(999)
    yield* isEqual(yield* refusalOf(Redacted.value(second.key)), undefined, "a key just before it expires")
    clock.advance(1)
    yield* isEqual((yield* refusalOf(Redacted.value(second.key)))?.status, 401, "a key when it expires")
    yield* isEqual(yield* refusalOf(Redacted.value(first.key)), undefined, "the other key of the project")
  })

const namesOfKeys: LawBody = (clock) =>
  Effect.gen(function* () {
    const [keys, directory] = [yield* Keys, yield* Directory]
    const [mine, other] = [yield* fundedProject(0n), yield* fundedProject(0n)]
    yield* isEqual(yield* directory.keys(mine.projectId), [], "a project without keys")
    yield* keys.issue(mine.projectId, { name: "backend" })
    clock.advance(1)
    yield* keys.issue(other.projectId, { name: "theirs" })
    const revoked = yield* keys.issue(mine.projectId, { name: "revoked" })
    yield* keys.issue(mine.projectId, { name: "ending", expiresAtMs: lawStartMs + 10 })
    clock.advance(1)
    yield* keys.issue(mine.projectId)
    yield* keys.revoke(revoked.apiKeyId)
    const backend = { name: "backend", createdAtMs: lawStartMs, expiresAtMs: null }
    const nameless = { name: null, createdAtMs: lawStartMs + 2, expiresAtMs: null }
    const ending = { name: "ending", createdAtMs: lawStartMs + 1, expiresAtMs: lawStartMs + 10 }
    yield* isEqual(yield* directory.keys(mine.projectId), [backend, ending, nameless], "the valid keys, oldest first")
    clock.advance(8)
    yield* isEqual(yield* directory.keys(mine.projectId), [backend, nameless], "without one that has expired")
  })

const refusalsAlike: LawBody = (clock) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { projectId } = yield* fundedProject(0n)
    const valid = yield* keys.issue(projectId)
    const revoked = yield* keys.issue(projectId)
    const expired = yield* keys.issue(projectId, { expiresAtMs: lawStartMs + 1 })
    const network = readApiKey(Redacted.value(valid.key))?.network ?? ""
    yield* keys.revoke(revoked.apiKeyId)
    yield* keys.revoke(revoked.apiKeyId)
    clock.advance(1)
    const refused: Readonly<Record<string, string>> = {
      unknown: makeApiKey(network, yield* lawBytes(apiKeyEntropyBytes)).key,
      revoked: Redacted.value(revoked.key),
      expired: Redacted.value(expired.key),
      "wrong secret under a valid id": yield* forged(network, valid),
      "wrong secret under a revoked id": yield* forged(network, revoked),
      "of another network under a valid id": yield* forged(`${network}2`, valid),
      malformed: `${Redacted.value(valid.key)}x`,
      "the id alone": valid.apiKeyId,
      empty: ""
    }
    const texts = new Set<string>()
    for (const [what, key] of Object.entries(refused)) {
      const refusal = yield* refusalOf(key)
      yield* isEqual(refusal?._tag, "Unauthorized", `a key that is ${what}`)
      yield* isEqual(refusal?.details, undefined, `the details of a key that is ${what}`)
      yield* holdsThat(key === "" || refusal?.message.includes(key) === false, "no refusal repeats the key")
      texts.add(refusal?.message ?? "")
    }
    yield* isEqual(texts.size, 1, "different messages")
    yield* isEqual(yield* refusalOf(Redacted.value(valid.key)), undefined, "the valid key among them")
  })

/** The laws of the directory, over stores from `makeStores`. */
export const directoryLaws = (makeStores: MakeStores): ReadonlyArray<Law> =>
  storeLaws(
    {
      "a key gives access to its project until it expires": validKeys,
      "the valid keys of a project are listed by name, oldest first": namesOfKeys,
      "unknown, revoked, expired, forged and malformed keys get one and the same refusal": refusalsAlike
    },
    makeStores
  )
