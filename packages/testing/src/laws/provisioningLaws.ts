/** The laws of provisioning: organizations, projects and their settings, grants and withdrawals. */
import { Accounts, Directory, Keys, Ledger, type Project, Provisioning } from "@sibyl/core"
import { Effect, Either, Option } from "effect"
import { holdsThat, isEqual, isThere, type Law } from "./form/law.ts"
import { isRefused, type LawBody, storeLaws } from "./form/storeLaws.ts"
import { lawStartMs, type MakeStores } from "./form/stores.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

const found = (projectId: string) => Effect.flatMap(Directory, (directory) => directory.project(projectId))

const settings = {
  gasLimits: { exec: 2n ** 62n, tally: 1n },
  usageLimit: { periodMs: 86_400_000, credits: 2n ** 80n },
  allowedPrograms: ["ab".repeat(32), "cd".repeat(32)],
  allowedHosts: ["api.example.com", "*.example.org"],
  limits: { execWallClockMs: 1_234, proxyBudgetCredits: 2n ** 62n }
}

const organizations: LawBody = () =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const acme = yield* provisioning.createOrganization({ organizationSlug: "acme", name: "Acme & Söhne" })
    const { organizationId } = acme
    yield* isEqual(acme, { organizationId, organizationSlug: "acme", name: "Acme & Söhne", createdAtMs: lawStartMs }, "the organization")
    const again = provisioning.createOrganization({ organizationSlug: "acme" })
    yield* isRefused(again, "OrganizationExists", "a slug that is taken")
    const project = yield* provisioning.createProject({ organizationSlug: "acme" })
    yield* isEqual(project.organizationId, organizationId, "the organization of its project")
    for (const organizationSlug of ["", "Acme", "-acme", "a b", "a".repeat(64), "acme\u0000"]) {
      const refused = provisioning.createOrganization({ organizationSlug })
      yield* isRefused(refused, { field: "organizationSlug" }, `the slug ${JSON.stringify(organizationSlug)}`)
      yield* isRefused(provisioning.createProject({ organizationSlug }), { field: "organizationSlug" }, "and a project's")
    }
    const unreadable = provisioning.createOrganization({ organizationSlug: "other", name: "two\nlines" })
    yield* isRefused(unreadable, { field: "name" }, "a name of two lines")
  })

const projects: LawBody = () =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const plain = yield* provisioning.createProject({ organizationSlug: "acme" })
    const special = yield* provisioning.createProject({ organizationSlug: "acme", ...settings })
    const { projectId, organizationId } = plain
    const defaults: Project = {
      projectId,
      organizationId,
      organizationSlug: "acme",
      gasLimits: { exec: 300_000_000_000_000n, tally: 50_000_000_000_000n },
      usageLimit: null,
      allowedPrograms: null,
      allowedHosts: null,
      limits: {}
    }
    yield* isEqual(plain, defaults, "a project of which nothing was said")
    yield* isEqual(
      special,
      { projectId: special.projectId, organizationId, organizationSlug: "acme", ...settings },
      "a project of which everything was said, of the same organization"
    )
    for (const project of [plain, special]) {
      yield* isEqual(yield* found(project.projectId), Option.some(project), "the project that comes back")
    }
    const foreign = yield* provisioning.createProject({ organizationSlug: "other" })
    yield* holdsThat(foreign.organizationId !== organizationId, "another slug is another organization")
    yield* isEqual(new Set([plain, special, foreign].map((each) => each.projectId)).size, 3, "different project ids")
    yield* isEqual(yield* found("nobody"), Option.none(), "an unknown project")
  })

const changes: LawBody = () =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const neighbour = yield* provisioning.createProject({ organizationSlug: "acme", ...settings })
    const before = yield* provisioning.createProject({ organizationSlug: "acme", ...settings })
    const { projectId } = before
    const { key } = yield* (yield* Keys).issue(projectId)
    const steps = [
      [{}, {}],
      [{ name: "a name alone" }, {}],
      [{ gasLimits: { tally: 7n } }, { gasLimits: { exec: 2n ** 62n, tally: 7n } }],
      [{ usageLimit: null }, { usageLimit: null }],
      [{ allowedPrograms: [`0X${"AB".repeat(32)}`, "ab".repeat(32)] }, { allowedPrograms: ["ab".repeat(32)] }],
      [{ allowedHosts: ["A.Example.", "*.b.example", "a.example"] }, { allowedHosts: ["a.example", "*.b.example"] }],
      [{ allowedHosts: [] }, { allowedHosts: [] }],
      [{ limits: { execWallClockMs: null, stdoutBytes: 9 } }, { limits: { proxyBudgetCredits: 2n ** 62n, stdoutBytes: 9 } }],
      [
        { allowedPrograms: null, allowedHosts: null, usageLimit: { periodMs: 60_000, credits: 0n } },
        {
          allowedPrograms: null,
          allowedHosts: null,
          usageLimit: { periodMs: 60_000, credits: 0n }
        }
      ]
    ] as const
    const expected: Project = { ...before }
    for (const [change, effect] of steps) {
      Object.assign(expected, effect)
      yield* isEqual(yield* provisioning.updateProject(projectId, change), expected, "the answer to a change")
      yield* isEqual(yield* found(projectId), Option.some(expected), "the project after a change")
      const { project } = yield* (yield* Directory).authenticate(key)
      yield* isEqual(project, expected, "the project of its key after a change")
    }
    yield* isEqual(yield* found(neighbour.projectId), Option.some(neighbour), "the project beside it")
  })

const refusals: LawBody = () =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const project = yield* provisioning.createProject({ organizationSlug: "acme", ...settings })
    const { projectId } = project
    const broken = {
      "gasLimits.exec": { gasLimits: { exec: 0n } },
      "gasLimits.tally": { gasLimits: { tally: 2n ** 63n } },
      "usageLimit.periodMs": { usageLimit: { periodMs: 999, credits: 1n } },
      "usageLimit.credits": { usageLimit: { periodMs: 1_000, credits: -1n } },
      "allowedPrograms[1]": { allowedPrograms: ["ab".repeat(32), "ab"] },
      "allowedHosts[0]": { allowedHosts: ["https://example.com"] },
      "limits.execWallClock": { limits: { execWallClock: 1 } as object },
      "limits.stdoutBytes": { limits: { stdoutBytes: 0 } },
      name: { name: "" }
    }
    for (const [field, change] of Object.entries(broken)) {
      const both = { gasLimits: { exec: 5n, tally: 5n }, ...change }
      yield* isRefused(provisioning.updateProject(projectId, both), { field }, `a change of ${field}`)
      yield* isRefused(provisioning.createProject({ organizationSlug: "acme", ...both }), { field }, `a new ${field}`)
    }
    yield* isEqual(yield* found(projectId), Option.some(project), "the project after all that")
    yield* isRefused(provisioning.updateProject(nobody, {}), "ProjectNotFound", "a change of an unknown project")
  })

const changesAtOnce: LawBody = () =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const { projectId } = yield* provisioning.createProject({ organizationSlug: "acme" })
    const names = ["stdoutBytes", "stderrBytes", "resultBytes", "inputBytes", "memoryPages", "feedOverlap"] as const
    yield* Effect.all(
      names.map((name, at) => provisioning.updateProject(projectId, { limits: { [name]: at + 1 } })),
      { concurrency: "unbounded", discard: true }
    )
    const { limits } = yield* isThere(yield* found(projectId), "the changed project")
    yield* isEqual(limits, Object.fromEntries(names.map((name, at) => [name, at + 1])), "the limits")
  })

const grants: LawBody = () =>
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
    yield* isRefused(provisioning.grant(projectId, -1n), { field: "credits" }, "a negative grant")
    yield* isRefused(provisioning.grant(nobody, 1n), "ProjectNotFound", "a grant to an unknown project")
    yield* isEqual((yield* provisioning.grant(projectId, 0n)).granted, most, "what is granted after all that")
  })

const withdrawals: LawBody = () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const provisioning = yield* Provisioning
    const { projectId } = yield* provisioning.createProject({ organizationSlug: "acme" })
    yield* provisioning.grant(projectId, 100n)
    const project = yield* accounts.project(projectId)
    const hold = yield* (yield* Ledger).hold(project, 30n, 60_000)
    yield* isRefused(provisioning.withdraw(projectId, 71n), "InsufficientCredits", "more than remains")
    const after = yield* provisioning.withdraw(projectId, 50n)
    yield* isEqual(after, { granted: 50n, used: 0n, held: 30n, periodUsed: 0n }, "the balance after a withdrawal")
    const [newest] = yield* accounts.journal({ projectId, amount: 1 })
    yield* isEqual([newest?.kind, newest?.credits, newest?.holdId], ["withdraw", 50n, null], "its entry in the journal")
    const many = yield* Effect.all(
      Array.from({ length: 12 }, () => Effect.either(provisioning.withdraw(projectId, 3n))),
      { concurrency: "unbounded" }
    )
    yield* isEqual(many.filter(Either.isRight).length, 6, "withdrawals of 3 at once, of the 20 that remain")
    yield* (yield* Ledger).void(hold)
    yield* isEqual((yield* provisioning.withdraw(projectId, 32n)).granted, 0n, "what is granted once all is taken back")
    yield* isRefused(provisioning.withdraw(projectId, -1n), { field: "credits" }, "a negative withdrawal")
    yield* isRefused(provisioning.withdraw(nobody, 1n), "ProjectNotFound", "a withdrawal from an unknown project")
  })

/** The laws of provisioning, over stores from `makeStores`. */
export const provisioningLaws = (makeStores: MakeStores): ReadonlyArray<Law> =>
  storeLaws(
    {
      "an organization has a unique slug, and its projects belong to it": organizations,
      "a project is read as it was set up, with defaults for the rest": projects,
      "a change of a project changes only what it names, also for its keys": changes,
      "an invalid setting is refused by its name and changes nothing": refusals,
      "concurrent changes of one project are all kept": changesAtOnce,
      "grants of any size add up; invalid ones are refused": grants,
      "what was granted is taken back as far as it is neither used nor held": withdrawals
    },
    makeStores
  )
