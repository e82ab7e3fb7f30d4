/** The laws of reading accounts: organizations, projects and journals are listed in order. */
import { Accounts, type JournalEntry, Ledger, Provisioning } from "@sibyl/core"
import { Effect } from "effect"
import { holdsThat, isEqual, type Law } from "./form/law.ts"
import { sampleReport } from "./sampleReport.ts"
import { isRefused, type LawBody, storeLaws } from "./form/storeLaws.ts"
import { fundedProject, lawStartMs, type MakeStores } from "./form/stores.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

const lists: LawBody = (clock) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const provisioning = yield* Provisioning
    yield* isEqual(yield* accounts.organizations, [], "the organizations before there are any")
    yield* isEqual(yield* accounts.projects(), [], "the projects before there are any")
    const acme = yield* provisioning.createOrganization({ organizationSlug: "acme", name: "Acme" })
    clock.advance(1)
    const first = yield* provisioning.createProject({ organizationSlug: "acme", name: "prices" })
    clock.advance(1)
    const second = yield* provisioning.createProject({ organizationSlug: "beta", allowedPrograms: [] })
    clock.advance(1)
    const third = yield* provisioning.createProject({ organizationSlug: "acme" })
    const beta = {
      organizationId: second.organizationId,
      organizationSlug: "beta",
      name: null,
      createdAtMs: lawStartMs + 2
    }
    yield* isEqual(yield* accounts.organizations, [acme, beta], "the organizations")
    const [one, two, three] = [
      { ...first, name: "prices", createdAtMs: lawStartMs + 1 },
      { ...second, name: null, createdAtMs: lawStartMs + 2 },
      { ...third, name: null, createdAtMs: lawStartMs + 3 }
    ]
    yield* isEqual(yield* accounts.projects(), [one, two, three], "all projects")
    yield* isEqual(yield* accounts.projects("acme"), [one, three], "the projects of one organization")
    yield* isEqual(yield* accounts.project(second.projectId), two, "one project")
    yield* provisioning.updateProject(third.projectId, { name: "metals", gasLimits: { exec: 5n } })
    yield* provisioning.updateProject(first.projectId, { name: null })
    yield* isEqual(
      yield* accounts.projects("acme"),
      [
        { ...one, name: null },
        { ...three, name: "metals", gasLimits: { ...three.gasLimits, exec: 5n } }
      ],
      "the projects after changes"
    )
    yield* isRefused(accounts.projects("gamma"), "OrganizationNotFound", "the projects of an unknown organization")
    yield* isRefused(accounts.project(nobody), "ProjectNotFound", "an unknown project")
  })

const journals: LawBody = (clock) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const ledger = yield* Ledger
    const project = yield* fundedProject(100n)
    const { projectId } = project
    clock.advance(1)
    const posted = yield* ledger.hold(project, 10n, 1_000)
    const voided = yield* ledger.hold(project, 20n, 1_000)
    const left = yield* ledger.hold(project, 30n, 1_000)
    clock.advance(1)
    yield* ledger.settle(posted, sampleReport({ projectId, id: "r1", executedAtMs: lawStartMs, total: 4n }))
    yield* ledger.void(voided)
    yield* ledger.void(voided)
    clock.advance(1_000)
    const { granted, held, used } = yield* (yield* Provisioning).grant(projectId, 5n)
    const expected: ReadonlyArray<JournalEntry> = [
      { entry: 1, kind: "grant", credits: 100n, holdId: null, atMs: lawStartMs },
      { entry: 2, kind: "hold", credits: 10n, holdId: posted.holdId, atMs: lawStartMs + 1 },
      { entry: 3, kind: "hold", credits: 20n, holdId: voided.holdId, atMs: lawStartMs + 1 },
      { entry: 4, kind: "hold", credits: 30n, holdId: left.holdId, atMs: lawStartMs + 1 },
      { entry: 5, kind: "post", credits: 4n, holdId: posted.holdId, atMs: lawStartMs + 2 },
      { entry: 6, kind: "void", credits: 20n, holdId: voided.holdId, atMs: lawStartMs + 2 }
    ]
    const all = (yield* accounts.journal({ projectId, amount: 1_000 })).toReversed()
    yield* isEqual(all.slice(0, 6), [...expected], "the journal up to the lease's end")
    const ends = all.slice(6).map(({ credits, kind }) => `${kind} ${credits}`)
    yield* isEqual(ends.toSorted(), ["expire 30", "grant 5"], "and what came with the last grant")
    const sumOf = (kind: JournalEntry["kind"]) => all.filter((line) => line.kind === kind).reduce((sum, { credits }) => sum + credits, 0n)
    yield* isEqual([granted, used, held], [sumOf("grant"), sumOf("post"), 0n], "the balance that it adds up to")
  })

const pages: LawBody = () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const provisioning = yield* Provisioning
    const [{ projectId }, neighbour] = [yield* fundedProject(0n), yield* fundedProject(7n)]
    for (let grant = 2; grant <= 10; grant += 1) yield* provisioning.grant(projectId, BigInt(grant))
    const page = (amount: number, beforeEntry?: number) =>
      Effect.map(accounts.journal({ projectId, amount, ...(beforeEntry === undefined ? {} : { beforeEntry }) }), (entries) =>
        entries.map(({ entry }) => entry)
      )
    yield* isEqual(yield* page(4), [10, 9, 8, 7], "the first page")
    yield* provisioning.grant(projectId, 11n)
    yield* isEqual(yield* page(4, 7), [6, 5, 4, 3], "the second page, one entry later")
    yield* isEqual(yield* page(4, 3), [2, 1], "the last page")
    yield* isEqual(yield* page(4, 1), [], "the page after it")
    yield* isEqual((yield* accounts.journal({ projectId: neighbour.projectId, amount: 9 })).length, 1, "the neighbour's")
    for (const amount of [0, -1, 1_001, 0.5, Number.NaN]) {
      yield* isRefused(accounts.journal({ projectId, amount }), { field: "amount" }, `a page of ${amount}`)
    }
    for (const beforeEntry of [0, -1, 0.5, Number.NaN]) {
      const refused = accounts.journal({ projectId, amount: 1, beforeEntry })
      yield* isRefused(refused, { field: "beforeEntry" }, `a page before ${beforeEntry}`)
    }
    yield* isRefused(accounts.journal({ projectId: nobody, amount: 1 }), "ProjectNotFound", "of an unknown project")
    yield* holdsThat((yield* page(1_000)).length === 11, "a page holds a thousand")
  })

const runs: LawBody = (clock) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const ledger = yield* Ledger
    const [mine, other] = [yield* fundedProject(99n), yield* fundedProject(99n)]
    const keep = (project: typeof mine, id: string, offsetMs: number, drId: string) =>
      Effect.gen(function* () {
        const executedAtMs = lawStartMs + offsetMs
        const report = sampleReport({ projectId: project.projectId, id, executedAtMs, drId: drId.repeat(32), total: 2n })
        yield* ledger.settle(yield* ledger.hold(project, 2n, 60_000), report)
        clock.advance(1)
        return report
      })
    const page = (amount: number, beforeSequence?: number) =>
      accounts.runs({ projectId: mine.projectId, amount, ...(beforeSequence === undefined ? {} : { beforeSequence }) })
    yield* isEqual(yield* page(5), [], "the runs before there are any")
    const a = yield* keep(mine, "a", 5, "d1")
    yield* keep(other, "x", 6, "d1")
    const b = yield* keep(mine, "b", 9, "d2")
    // Of two concurrent runs the one that started first may be stored last.
    const c = yield* keep(mine, "c", 7, "d1")
    const all = yield* page(100)
    yield* isEqual(
      all.map(({ report }) => report),
      [c, b, a],
      "runs of any request, the last kept first"
    )
    const [first, second, third] = [yield* page(1), yield* page(1, all[0]?.position.sequence), yield* page(5, all[1]?.position.sequence)]
    yield* isEqual(
      [first, second, third].flat().map(({ report }) => report.id),
      ["c", "b", "a"],
      "page by page"
    )
    yield* isEqual(yield* page(5, all[2]?.position.sequence), [], "the page after the last")
    for (const amount of [0, 101, 0.5]) yield* isRefused(page(amount), { field: "amount" }, `a page of ${amount}`)
    yield* isRefused(page(1, 0), { field: "beforeSequence" }, "a page before 0")
    yield* isRefused(accounts.runs({ projectId: nobody, amount: 1 }), "ProjectNotFound", "of an unknown project")
  })

/** The laws of accounts, over stores from `makeStores`. */
export const accountLaws = (makeStores: MakeStores): ReadonlyArray<Law> =>
  storeLaws(
    {
      "organizations and projects are listed as they are now, oldest first": lists,
      "a journal records every change of credits, and the balance is its sum": journals,
      "a journal is read in pages, newest first": pages,
      "a project's runs of any request are read in pages, newest first": runs
    },
    makeStores
  )
