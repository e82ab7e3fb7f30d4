/** Steps of REST clients that execute programs: once, again, twice at the same time, in bursts, and wrongly. */
import type { RestPlan } from "../world/restRequest.ts"
import type { Life } from "../world/simServer.ts"
import type { Tenant, TenantKey } from "../world/tenants.ts"
import type { World } from "../world/world.ts"
import type { Step } from "./step.ts"

/** A key of a tenant, one that is valid if there is one. */
export const validKeyOf = (world: World, tenant: Tenant): TenantKey => {
  const valid = tenant.keys.filter(({ revokedAtMs }) => revokedAtMs === undefined)
  return world.random.pick(valid.length > 0 ? valid : tenant.keys)
}

/** The inputs of a request: new ones, or some that the tenant has sent before. */
export const inputsFor = (world: World, tenant: Tenant): string => {
  if (tenant.sent.length > 0 && world.random.percent(30)) return world.random.pick(tenant.sent)
  const inputs = world.newName(`${tenant.name}-`)
  tenant.sent.push(inputs)
  return inputs
}

/** The query of an execution. */
const queryFor = (world: World): string => {
  const { random } = world
  const parts = [
    random.percent(20) ? "includeSummary=true" : "",
    random.percent(15) ? "includeDebugInfo=1" : "",
    random.percent(15) ? "returnLastResult" : "",
    random.percent(10) ? "injectLastResult=last" : "",
    random.percent(10) ? "encoding=utf8" : ""
  ].filter((part) => part !== "")
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** An execution by a new or a repeated request. */
export const executionFor = (world: World, tenant: Tenant, isKeyed: boolean): RestPlan => {
  const inputs = inputsFor(world, tenant)
  const key = validKeyOf(world, tenant)
  const execProgramId = world.random.pick(tenant.allowed)
  if (!isKeyed && world.random.percent(20)) {
    const query = queryFor(world).replace("?", "&")
    return { method: "GET", url: `/execute?execProgramId=${execProgramId}&execInputs=${inputs}${query}`, tenant, key, inputs }
  }
  const named = isKeyed ? { idempotencyKey: world.newName("key-") } : {}
  return { method: "POST", url: `/execute${queryFor(world)}`, tenant, key, inputs, body: { execProgramId, execInputs: inputs }, ...named }
}

/** Sends it to a living server, later if that is wanted; a client may give up on it. */
export const sendSoon = (world: World, plan: RestPlan, inMs: number, life?: Life): void => {
  world.clock.at(world.clock.nowMs() + inMs, () => {
    const to = life !== undefined && life.time.isAlive ? life : world.lives[0]
    if (to !== undefined) world.send(to, plan)
  })
}

const execute: Step = {
  name: "execute",
  weight: 26,
  mayRun: ({ lives }) => lives.length > 0,
  run: (world) => {
    const { random } = world
    const tenant = random.pick(world.tenants)
    const isKeyed = random.percent(45)
    const plan = executionFor(world, tenant, isKeyed)
    const request = world.send(random.pick(world.lives), plan)
    if (isKeyed && random.percent(40)) {
      world.faults.count("request was sent twice")
      for (let more = random.between(1, 3); more > 0; more -= 1) sendSoon(world, plan, random.below(60), random.pick(world.lives))
    }
    if (random.percent(12)) {
      world.faults.count("client left its request")
      world.clock.at(world.clock.nowMs() + random.below(80), () => request.leave())
    }
  }
}

const burst: Step = {
  name: "burst",
  weight: 5,
  mayRun: ({ lives }) => lives.length > 0,
  run: (world) => {
    const tenant = world.random.pick(world.tenants)
    for (let count = world.random.between(4, 16); count > 0; count -= 1) {
      world.send(world.random.pick(world.lives), executionFor(world, tenant, world.random.percent(20)))
    }
  }
}

const retry: Step = {
  name: "retry",
  weight: 10,
  mayRun: ({ lives, requests }) => lives.length > 0 && requests.some(({ idempotencyKey }) => idempotencyKey !== undefined),
  run: (world) => {
    const keyed = world.requests.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
    const lost = keyed.filter(({ state }) => state !== "answered")
    const before = world.random.pick(lost.length > 0 && world.random.percent(70) ? lost : keyed)
    world.faults.count("request was sent twice")
    const { body, idempotencyKey, inputs, method, tenant, url } = before
    const key = validKeyOf(world, tenant)
    const plan = { method, url, tenant, key, ...(body === undefined ? {} : { body }), ...(inputs === undefined ? {} : { inputs }) }
    world.send(world.random.pick(world.lives), idempotencyKey === undefined ? plan : { ...plan, idempotencyKey })
  }
}

const wrong: Step = {
  name: "wrong request",
  weight: 4,
  mayRun: ({ lives }) => lives.length > 0,
  run: (world) => {
    const tenant = world.random.pick(world.tenants)
    const key = validKeyOf(world, tenant)
    const { common, restricted, unknown } = world.deployed
    const plans: ReadonlyArray<RestPlan> = [
      { method: "POST", url: "/execute", tenant, key, body: { execProgramId: unknown }, refusal: { status: 404, tag: "ProgramNotFound" } },
      { method: "POST", url: "/execute", tenant, key, body: { execProgramId: 7 }, refusal: { status: 400, tag: "InvalidParameter" } },
      {
        method: "GET",
        url: `/execute?execProgramId=${common}&encoding=morse`,
        tenant,
        key,
        refusal: { status: 400, tag: "InvalidParameter" }
      },
      ...(tenant.allowed.includes(restricted)
        ? []
        : [
            {
              method: "POST" as const,
              url: "/execute",
              tenant,
              key,
              body: { execProgramId: restricted, execInputs: "not-allowed" },
              refusal: { status: 400, tag: "ProgramNotAllowed" }
            }
          ]),
      {
        method: "GET",
        url: "/project",
        tenant,
        key: { apiKeyId: "none", text: "sibyl_no_such_key", revokedAtMs: undefined },
        refusal: { status: 401, tag: "Unauthorized" }
      }
    ]
    world.send(world.random.pick(world.lives), world.random.pick(plans))
  }
}

const reuseKey: Step = {
  name: "another request under a known key",
  weight: 2,
  mayRun: ({ lives, requests }) => lives.length > 0 && requests.some(({ idempotencyKey }) => idempotencyKey !== undefined),
  run: (world) => {
    const { idempotencyKey, tenant } = world.random.pick(world.requests.filter((request) => request.idempotencyKey !== undefined))
    if (idempotencyKey === undefined) return
    world.send(world.random.pick(world.lives), { ...executionFor(world, tenant, true), idempotencyKey })
  }
}

const ask: Step = {
  name: "ask",
  weight: 10,
  mayRun: ({ lives }) => lives.length > 0,
  run: (world) => {
    const { random } = world
    const tenant = random.pick(world.tenants)
    const key = random.percent(85) ? validKeyOf(world, tenant) : random.pick(tenant.keys)
    const inputs = tenant.sent.length > 0 ? random.pick(tenant.sent) : "never sent"
    const drId = world.requests.findLast((request) => request.tenant === tenant && request.answer?.json["data"] !== undefined)
    const data = drId?.answer?.json["data"] as { readonly dataResult?: { readonly drId?: string } } | undefined
    const url = random.pick([
      "/project",
      "/verify",
      "/info",
      `/execute/last-result?execProgramId=${world.deployed.common}&execInputs=${inputs}`,
      `/execute/last-result?execProgramId=${world.deployed.common}&execInputs=${inputs}&mode=success`,
      `/data-request-reports?drId=${data?.dataResult?.drId ?? "ab".repeat(32)}`
    ])
    world.send(random.pick(world.lives), { method: "GET", url, tenant, key })
  }
}

/** All of them. */
export const executeSteps: ReadonlyArray<Step> = [execute, burst, retry, wrong, reuseKey, ask]
