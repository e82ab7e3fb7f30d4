/** The laws of keys: a key opens its project while it is valid, and refusals cannot be told apart. */
import {
  apiKeyEntropyBytes,
  Directory,
  fromHex,
  type IssuedKey,
  makeApiKey,
  Provisioning,
  readApiKey,
  type Unauthorized
} from "@sibyl/core"
import { Effect, Option, Redacted } from "effect"
import { type HandClock, makeHandClock } from "./handClock.ts"
import { holdsThat, isEqual, type Law, type LawBroken } from "./law.ts"
import { fundedProject, isStoreDefect, lawBytes, lawStartMs, type MakeStores, type Stores } from "./stores.ts"

type Body = (clock: HandClock) => Effect.Effect<void, LawBroken, Stores>

const authenticate = (key: string) =>
  Effect.flatMap(Directory, (directory) => directory.authenticate(Redacted.make(key)))

const refusalOf = (key: string): Effect.Effect<Unauthorized | undefined, never, Directory> =>
  Effect.merge(Effect.as(Effect.flip(Effect.flip(authenticate(key))), undefined))

/** A well-formed key with the id of `issued`, of a network, with a secret that was never issued. */
const forged = (network: string, issued: IssuedKey) =>
  Effect.map(lawBytes(apiKeyEntropyBytes), (entropy) => {
    entropy.set(fromHex(issued.apiKeyId) ?? new Uint8Array())
    return makeApiKey(network, entropy).key
  })

const validKeys: Body = (clock) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const [mine, other] = [yield* fundedProject(0n), yield* fundedProject(0n)]
    const first = yield* provisioning.issueKey(mine.projectId)
    const second = yield* provisioning.issueKey(mine.projectId, { expiresAtMs: lawStartMs + 1_000 })
    const third = yield* provisioning.issueKey(other.projectId)
    const principals = yield* Effect.orDie(
      Effect.forEach([first, second, third], ({ key }) => authenticate(Redacted.value(key)))
    )
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

const refusalsAlike: Body = (clock) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const { projectId } = yield* fundedProject(0n)
    const valid = yield* provisioning.issueKey(projectId)
    const revoked = yield* provisioning.issueKey(projectId)
    const expired = yield* provisioning.issueKey(projectId, { expiresAtMs: lawStartMs })
    const network = readApiKey(Redacted.value(valid.key))?.network ?? ""
    yield* provisioning.revokeKey(revoked.apiKeyId)
    yield* provisioning.revokeKey(revoked.apiKeyId)
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

const projects: Body = () =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const provisioning = yield* Provisioning
    const plain = yield* provisioning.createProject({ organizationSlug: "acme" })
    const settings = {
      gasLimits: { exec: 2n ** 62n, tally: 1n },
      usageLimit: { periodMs: 86_400_000, credits: 2n ** 80n },
      allowedPrograms: ["ab".repeat(32), "cd".repeat(32)],
      limits: { execWallClockMs: 1_234, proxyBudgetCredits: 2n ** 70n }
    }
    const special = yield* provisioning.createProject({ organizationSlug: "acme", ...settings })
    const { projectId, organizationId } = plain
    yield* isEqual(
      plain,
      {
        projectId,
        organizationId,
        organizationSlug: "acme",
        gasLimits: { exec: 300_000_000_000_000n, tally: 50_000_000_000_000n },
        usageLimit: null,
        allowedPrograms: null,
        limits: {}
      },
      "a project of which nothing was said"
    )
    yield* isEqual(
      special,
      { projectId: special.projectId, organizationId, organizationSlug: "acme", ...settings },
      "a project of which everything was said, of the same organization"
    )
    for (const project of [plain, special]) {
      yield* isEqual(yield* directory.project(project.projectId), Option.some(project), "the project that comes back")
    }
    const foreign = yield* provisioning.createProject({ organizationSlug: "other" })
    yield* holdsThat(foreign.organizationId !== organizationId, "another slug is another organization")
    yield* isEqual(new Set([plain, special, foreign].map((each) => each.projectId)).size, 3, "different project ids")
    yield* isEqual(yield* directory.project("nobody"), Option.none(), "an unknown project")
  })

const grants: Body = () =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const { projectId } = yield* provisioning.createProject({ organizationSlug: "acme" })
    const zero = { granted: 0n, used: 0n, held: 0n, periodUsed: 0n }
    yield* isEqual(yield* provisioning.grant(projectId, 0n), zero, "a grant of nothing")
    const many = yield* Effect.all(
      Array.from({ length: 50 }, () => provisioning.grant(projectId, 2n ** 64n + 1n)),
      { concurrency: "unbounded" }
    )
    const most = many.map(({ granted }) => granted).reduce((left, right) => (left > right ? left : right), 0n)
    yield* isEqual(most, 50n * (2n ** 64n + 1n), "fifty grants at once")
    yield* isStoreDefect(provisioning.grant(projectId, -1n), "a negative grant")
    yield* isStoreDefect(provisioning.grant("nobody", 1n), "a grant to an unknown project")
    yield* isStoreDefect(provisioning.issueKey("nobody"), "a key for an unknown project")
    yield* isStoreDefect(provisioning.revokeKey("0123456789ab"), "revoking an unknown key")
  })

const bodies: Readonly<Record<string, Body>> = {
  "a key opens its project until the moment it expires": validKeys,
  "unknown, revoked, expired, forged and malformed keys get one and the same refusal": refusalsAlike,
  "a project comes back as it was set up, with defaults for the rest": projects,
  "grants add up, of whatever size; breaches of the contract are defects": grants
}

/** The laws of directory and provisioning, over stores from `makeStores`. */
export const directoryLaws = (makeStores: MakeStores): ReadonlyArray<Law> =>
  Object.entries(bodies).map(([name, body]) => ({
    name,
    run: Effect.suspend(() => {
      const clock = makeHandClock(lawStartMs)
      return Effect.withClock(Effect.provide(body(clock), makeStores()), clock)
    })
  }))
