/** The laws of freshness: a version that stays the same promises that nothing has changed. */
import { type Directory, Freshness, Keys, Ledger, ProgramNames, Provisioning, type StoreVersion } from "@sibyl/core"
import { Effect, type Layer } from "effect"
import { holdsThat, isEqual, type Law } from "./form/law.ts"
import { sampleReport } from "./sampleReport.ts"
import { type LawBody, storeLaws } from "./form/storeLaws.ts"
import { fundedProject, lawStartMs, type Stores } from "./form/stores.ts"

type Needs = Stores | Freshness | ProgramNames
type Body = LawBody<Needs>

const versions: Effect.Effect<{ readonly all: StoreVersion; readonly settings: StoreVersion }, never, Freshness> = Effect.map(
  Freshness,
  ({ settings, version }) => ({ all: version(), settings: settings() })
)

const differs = (before: StoreVersion, after: StoreVersion): boolean => before === undefined || after === undefined || before !== after

/** Everything that configures a service, in an order in which each is a change. */
const changes = Effect.gen(function* () {
  const provisioning = yield* Provisioning
  const keys = yield* Keys
  const names = yield* ProgramNames
  const { projectId } = yield* fundedProject(1_000n)
  const first = yield* keys.issue(projectId)
  const name = "v1.prices.acme"
  return {
    "creating an organization": provisioning.createOrganization({ organizationSlug: "another" }),
    "creating a project": provisioning.createProject({ organizationSlug: "laws" }),
    "changing a project": provisioning.updateProject(projectId, { allowedPrograms: [] }),
    "issuing a key": keys.issue(projectId),
    "rotating a key": keys.rotate(first.apiKeyId, { overlapMs: 1_000 }),
    "revoking a key": keys.revoke(first.apiKeyId),
    "naming a program": names.give({ name, owner: null, programId: "a1".repeat(32) }),
    "renaming it": names.give({ name, owner: null, programId: "b2".repeat(32) }),
    "taking the name away": names.take(null, name)
  } satisfies Record<string, Effect.Effect<unknown, { readonly _tag: string }, Directory | Needs>>
})

const settingsChange: Body = () =>
  Effect.gen(function* () {
    for (const [what, change] of Object.entries<Effect.Effect<unknown, { readonly _tag: string }>>(yield* changes)) {
      const before = yield* versions
      yield* change
      const after = yield* versions
      yield* holdsThat(differs(before.settings, after.settings), `${what} changes the version of the settings`)
      yield* holdsThat(differs(before.all, after.all), `${what} changes the version of the stores`)
    }
  })

const runsChangeNoSettings: Body = () =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const project = yield* fundedProject(1_000n)
    const before = yield* versions
    const hold = yield* ledger.hold(project, 10n, 60_000)
    const held = yield* versions
    yield* holdsThat(differs(before.all, held.all), "a hold changes the version of the stores")
    yield* ledger.settle(hold, sampleReport({ projectId: project.projectId, id: hold.holdId, executedAtMs: lawStartMs, total: 3n }))
    const after = yield* versions
    yield* holdsThat(differs(held.all, after.all), "a settled run changes the version of the stores")
    yield* isEqual(after.settings, before.settings, "the version of the settings after a run")
  })

const readingChangesNothing: Body = () =>
  Effect.gen(function* () {
    const project = yield* fundedProject(1_000n)
    const before = yield* versions
    yield* (yield* Ledger).balance(project)
    yield* (yield* ProgramNames).find(project.projectId, "v1.prices.acme")
    yield* (yield* Keys).list(project.projectId)
    yield* isEqual(yield* versions, before, "the versions after reading")
  })

/** The laws over stores from `makeStores`; stores that cannot tell their version fulfil them. */
export const freshnessLaws = (makeStores: () => Layer.Layer<Needs>): ReadonlyArray<Law> =>
  storeLaws<Needs>(
    {
      "every change of what is configured changes the version of the settings": settingsChange,
      "runs and their credits change the version of the stores, not that of the settings": runsChangeNoSettings,
      "reading changes no version": readingChangesNothing
    },
    makeStores
  )
