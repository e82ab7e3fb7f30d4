/** Two projects of one service: whatever both do, each sees what it would see if it were alone. */
import { soakCount } from "@sibyl/testing/soak"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromUtf8 } from "../domain/encoding/bytes.ts"
import { Idempotency } from "../ports/idempotency.ts"
import { Ledger } from "../ports/ledger.ts"
import { ResultStore } from "../ports/resultStore.ts"
import { rpcClient, type RpcClient } from "../testdata/rpcClient.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { openTestService, type OpenTestService, seamRequest, type TestServicePorts } from "../testdata/testService.ts"

type Retry = string | undefined

/** What a tenant does. Inputs and retry keys are few, so that both tenants send the same requests. */
type Step =
  | { readonly does: "get" | "post"; readonly input: number; readonly flags: string; readonly retry: Retry }
  | { readonly does: "lastResult"; readonly input: number; readonly mode: string }
  | { readonly does: "reports"; readonly input: number; readonly amount: number; readonly goesOn: boolean }
  | { readonly does: "record"; readonly path: string }
  | { readonly does: "wsExecute"; readonly input: number; readonly params: object }
  | { readonly does: "wsStop" }

const input = fc.integer({ min: 0, max: 3 })

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom("get" as const, "post" as const, "post" as const),
      input,
      flags: fc.constantFrom(
        "",
        "",
        "&returnLastResult",
        "&injectLastResult=last",
        "&injectLastResult=success",
        "&includeSummary",
        "&dryRun",
        "&returnLastResult&includeDebugInfo"
      ),
      retry: fc.constantFrom(undefined, "retry-1", "retry-2")
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("lastResult" as const), input, mode: fc.constantFrom("last", "success") })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("reports" as const),
      input,
      amount: fc.integer({ min: 1, max: 3 }),
      goesOn: fc.boolean()
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("record" as const), path: fc.constantFrom("/project", "/verify") })
  },
  {
    arbitrary: fc.record({
      does: fc.constant("wsExecute" as const),
      input,
      params: fc.constantFrom({}, { returnLastResult: true }, { injectLastResult: "last" }, { includeSummary: true })
    }),
    weight: 2
  },
  { weight: 1, arbitrary: fc.constant({ does: "wsStop" as const }) }
)

/** The program returns its inputs and its last result; input 0 fails. */
const script: Script = ({ args, envs, phase }) => {
  const told = envs.filter(([name]) => /^LAST_RESULT(?:_EXIT_CODE)?$/.test(name)).map(([, value]) => value)
  const last = phase === "exec" ? told.join(" ") : ""
  const exitCode = phase === "exec" && args[0] === "00" ? 3 : 0
  return Effect.succeed(outcome({ exitCode, result: fromUtf8(`${args[0]} ${last}`.slice(0, 60)), gasUsed: 10n }))
}

const tenantNames = ["anna", "berta"] as const
type Tenant = (typeof tenantNames)[number]

interface House extends OpenTestService {
  readonly keysOf: Readonly<Record<Tenant, string>>
  readonly clients: Readonly<Record<Tenant, RpcClient>>
}

/** A fault of a service: what it makes of its stores. `first` is the project that every caller is then taken for. */
type Leak = (stores: TestServicePorts, first: () => string) => TestServicePorts

const leaks: Readonly<Record<string, Leak>> = {
  "last results": (stores, first) => {
    const results = Context.get(stores, ResultStore)
    const last: typeof results.last = (projectId, key, mode) =>
      Effect.flatMap(results.last(projectId, key, mode), (own) =>
        Option.isSome(own) ? Effect.succeed(own) : results.last(first(), key, mode)
      )
    return Context.add(stores, ResultStore, { ...results, last })
  },
  reports: (stores, first) => {
    const results = Context.get(stores, ResultStore)
    const page: typeof results.page = (query) => results.page({ ...query, projectId: first() })
    return Context.add(stores, ResultStore, { ...results, page })
  },
  balances: (stores, first) => {
    const ledger = Context.get(stores, Ledger)
    const balance: typeof ledger.balance = (project) => ledger.balance({ ...project, projectId: first() })
    return Context.add(stores, Ledger, { ...ledger, balance })
  },
  "retried answers": (stores, first) => {
    const retries = Context.get(stores, Idempotency)
    const claim: typeof retries.claim = (input) => retries.claim({ ...input, projectId: first() })
    return Context.add(stores, Idempotency, { ...retries, claim })
  }
}

/** A service with both tenants in it, who have the same of everything; through a leak, Berta is taken for Anna. */
const openHouse = async (leak: Leak = (stores) => stores): Promise<House> => {
  const testService = await openTestService({ script, credits: 1_000_000n })
  const projectIds: Array<string> = []
  const newKey = () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { projectId } = yield* testService.provisioning.createProject({
          organizationSlug: "house",
          usageLimit: { periodMs: 31_622_400_000, credits: 20_000n }
        })
        projectIds.push(projectId)
        yield* testService.provisioning.grant(projectId, 1_357n)
        return Redacted.value((yield* testService.keys.issue(projectId)).key)
      })
    )
  const keysOf = { anna: await newKey(), berta: await newKey() }
  const service = await testService.openAnother((stores) => Layer.succeedContext(leak(stores, () => projectIds[0] ?? "")))
  await testService.service.dispose()
  const clientOf = (tenant: Tenant) => rpcClient(service, keysOf[tenant])
  const clients = { anna: await clientOf("anna"), berta: await clientOf("berta") }
  return { ...testService, service, keysOf, clients }
}

/** Ids, times and what is made from them, each named by when it was first seen by this tenant. */
const normalised = (text: string, names: Map<string, string>): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{130}/g, (made) => {
      const name = names.get(made) ?? `made ${names.size}`
      names.set(made, name)
      return name
    })
    // Two runs of different requests may or may not fall into the same millisecond.
    .replaceAll(/"(blockTimestamp|executedAt|nextPageId|apiKeyId)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/"(durationMs|age)":[0-9.]+/g, '"$1":0')

const hexOf = (value: number): string => `0x${String(value).padStart(2, "0")}`

/** What a tenant saw so far, and its state. */
interface Sight {
  readonly seen: Array<string>
  readonly names: Map<string, string>
  cursor: string | undefined
  readonly drIds: Map<number, string>
}

const newSight = (): Sight => ({ seen: [], names: new Map(), cursor: undefined, drIds: new Map() })

const overRest = async (house: House, tenant: Tenant, sight: Sight, step: Step): Promise<string> => {
  const { execProgramId } = house
  const ask = async (method: string, url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await house.service.fetch(
      seamRequest(method, url, { headers: { authorization: `Bearer ${house.keysOf[tenant]}`, ...headers } })
    )
    const { age, "idempotency-replayed": replayed, "x-sibyl-cache": cache } = response?.headers ?? {}
    const marks = [replayed ?? "", cache ?? "", age === undefined ? "" : "age"].join(",")
    return `${response?.status} ${marks} ${String(response?.body)}`
  }
  const program = (value: number) => `execProgramId=${execProgramId}&execInputs=${hexOf(value)}`
  switch (step.does) {
    case "get":
      return ask("GET", `/execute?${program(step.input)}${step.flags}`)
    case "post":
      return ask("POST", `/execute?${program(step.input)}${step.flags}`, step.retry === undefined ? {} : { "idempotency-key": step.retry })
    case "lastResult":
      return ask("GET", `/execute/last-result?${program(step.input)}&mode=${step.mode}`)
    case "reports": {
      const quote = await ask("GET", `/execute?${program(step.input)}&dryRun`)
      const drId = /"drId":"([0-9a-f]{64})"/.exec(quote)?.[1] ?? ""
      const page = step.goesOn && sight.cursor !== undefined ? `&nextPageId=${encodeURIComponent(sight.cursor)}` : ""
      const told = await ask("GET", `/data-request-reports?drId=${drId}&amount=${step.amount}${page}`)
      sight.cursor = /"nextPageId":"([^"]*)"/.exec(told)?.[1]
      return told
    }
    case "record":
      return ask("GET", step.path)
    default:
      throw new Error(`${step.does} is not over REST`)
  }
}

const overWebSocket = async (house: House, tenant: Tenant, step: Step): Promise<string> => {
  const client = house.clients[tenant]
  const { execProgramId } = house
  const said =
    step.does === "wsExecute"
      ? await client.ask("feed.execute", { execProgramId, execInputs: hexOf(step.input), ...step.params })
      : await client.ask("feed.stop", { feedId: "00000000-0000-4000-8000-000000000000" })
  return JSON.stringify(said)
}

const take = async (house: House, tenant: Tenant, sight: Sight, step: Step): Promise<void> => {
  const overSocket = step.does === "wsExecute" || step.does === "wsStop"
  const text = await (overSocket ? overWebSocket(house, tenant, step) : overRest(house, tenant, sight, step))
  sight.seen.push(normalised(text, sight.names))
}

interface Turn {
  readonly tenant: Tenant
  readonly step: Step
}

/** Lets tenants take their turns one after another, or each its own at once with the other's; answers what each saw. */
const played = async (
  turns: ReadonlyArray<Turn>,
  atOnce: boolean,
  leak?: Leak
): Promise<Readonly<Record<Tenant, ReadonlyArray<string>>>> => {
  const house = await openHouse(leak)
  const sights = { anna: newSight(), berta: newSight() }
  const play = async (mine: ReadonlyArray<Turn>): Promise<void> => {
    for (const { step: each, tenant } of mine) await take(house, tenant, sights[tenant], each)
  }
  await (atOnce ? Promise.all(tenantNames.map((name) => play(turns.filter(({ tenant }) => tenant === name)))) : play(turns))
  // There may be no unsolicited message.
  for (const name of tenantNames) {
    const asked = turns.filter(({ step: { does }, tenant }) => tenant === name && does.startsWith("ws")).length
    expect(house.clients[name].said()).toHaveLength(1 + asked)
  }
  await house.service.dispose()
  return { anna: sights.anna.seen, berta: sights.berta.seen }
}

const turnsOf = (minLength: number, maxLength: number) =>
  fc.array(fc.record({ tenant: fc.constantFrom(...tenantNames), step }), { minLength, maxLength })

const post = (input: number, retry?: string): Step => ({ does: "post", input, flags: "", retry })

/** Every kind of answer, whatever chance brings: nothing stored, a failure, a key used again, credits that run out. */
const everyKind: ReadonlyArray<Step> = [
  { does: "lastResult", input: 3, mode: "last" },
  post(0),
  post(1, "retry-1"),
  post(2, "retry-1"),
  ...Array.from({ length: 6 }, () => post(1))
]

describe("two tenants", () => {
  it("each see what they would see alone", { timeout: 3_600_000 }, async () => {
    const kinds = new Set<string>()
    await fc.assert(
      fc.asyncProperty(turnsOf(2, 24), fc.boolean(), async (both, atOnce) => {
        const together = await played(both, atOnce)
        for (const name of tenantNames) {
          const alone = await played(
            both.filter(({ tenant }) => tenant === name),
            false
          )
          expect(together[name]).toEqual(alone[name])
          for (const text of alone[name]) kinds.add(text.slice(0, 3))
        }
      }),
      {
        numRuns: soakCount({ everyday: 20, full: 100 }),
        examples: [[everyKind.flatMap((step) => tenantNames.map((tenant) => ({ tenant, step }))), true]]
      }
    )
    // Replayed, refused, failed and successful: the comparison covers more than one kind of answer.
    for (const status of ["200", "404", "422", "599", "403"]) expect([...kinds], status).toContain(status)
  })

  it.each(Object.keys(leaks))("would see a difference in a service that mixes up their %s", async (name) => {
    const leak = leaks[name]
    const found = await fc.check(
      fc.asyncProperty(turnsOf(24, 30), async (both) => {
        const together = await played(both, false, leak)
        const alone = await played(
          both.filter(({ tenant }) => tenant === "berta"),
          false
        )
        expect(together.berta).toEqual(alone.berta)
      }),
      { numRuns: 200, endOnFailure: true }
    )
    expect(found.failed).toBe(true)
  })
})
