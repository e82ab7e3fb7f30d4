/** Audits of durable feeds: they are added, shown and removed over REST, and run without a connection (D51). */
import { type Audit, audit } from "../../audit.ts"
import { type Check, holds, keysAre, same } from "../../check.ts"
import { type Answer, at, send } from "../call.ts"
import { skippedWithout } from "../../feature.ts"
import type { Target } from "../target.ts"
import { isError, refusesParameter } from "../wireForms.ts"

const members = ["feedId", "execute", "mode", "periodicityMs", "createdAt"]
const stateMembers = [...members, "hasOwner", "epoch", "lastSeq", "lastResultAt", "lastFailure", "nextTickAt"]

/** How long an audit waits for something that takes a second at most. */
const defaultSettlingMs = 10_000

const bodyFor = ({ programs }: Target, more: object = {}): object => ({
  execute: { execProgramId: programs.echo, execInputs: { price: 1.5 } },
  mode: "FIXED",
  periodicityMs: 100,
  ...more
})

/** Adds a feed, hands it to `use`, and removes it. */
const withFeed = async (
  target: Target,
  fields: { readonly key?: string; readonly more?: object },
  use: (feedId: string, added: Answer) => Promise<ReadonlyArray<Check>>
): Promise<ReadonlyArray<Check>> => {
  const key = fields.key === undefined ? {} : { key: fields.key }
  const added = await send(target, { path: "/feeds", json: bodyFor(target, fields.more), ...key })
  const feedId = String(at(added.json, "feedId"))
  try {
    return await use(feedId, added)
  } finally {
    await send(target, { method: "DELETE", path: `/feeds/${feedId}`, ...key })
  }
}

/** The feed's state, as soon as it is as wanted; the last one when patience ends. */
const stateWhen = async (target: Target, feedId: string, isWanted: (json: unknown) => boolean, key?: string): Promise<unknown> => {
  const deadline = performance.now() + (target.settlingMs ?? defaultSettlingMs)
  for (;;) {
    const { json } = await send(target, { path: `/feeds/${feedId}`, ...(key === undefined ? {} : { key }) })
    if (isWanted(json) || performance.now() > deadline) return json
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const reached = (seq: number) => (json: unknown) => Number(at(json, "lastSeq") ?? -1) >= seq

const life = audit<Target>(
  "REST-FEED-001",
  "MUST",
  "D51",
  "a durable feed is added with 201, listed, shown and removed; then it is 404",
  async (target) =>
    withFeed(target, {}, async (feedId, added) => {
      const path = `/feeds/${feedId}`
      const listed = at((await send(target, { path: "/feeds" })).json, "data")
      const shown = await send(target, { path })
      const removed = await send(target, { method: "DELETE", path })
      return [
        same("status", added.status, 201),
        keysAre("what is added", added.json, members),
        same("execute", at(added.json, "execute"), at(bodyFor(target), "execute")),
        holds("it is listed", Array.isArray(listed) && listed.some((feed) => at(feed, "feedId") === feedId), listed),
        keysAre("what is shown", shown.json, stateMembers),
        same("removed", [removed.status, removed.json], [200, { feedId }]),
        ...isError("shown after that", await send(target, { path }), 404, "FeedNotFound"),
        ...isError("removed again", await send(target, { method: "DELETE", path }), 404, "FeedNotFound")
      ]
    })
)

const refusals: Readonly<Record<string, object>> = {
  mode: { mode: "OFTEN" },
  periodicityMs: { periodicityMs: 1 },
  execute: { execute: 5 },
  "execute.execProgramId": { execute: {} },
  "execute.encoding": { execute: { execProgramId: "ab".repeat(32), encoding: "xml" } },
  "execute.dryRun": { execute: { execProgramId: "ab".repeat(32), dryRun: true } },
  "execute.returnLastResult": { execute: { execProgramId: "ab".repeat(32), returnLastResult: true } },
  share: { share: true }
}

const refuses = audit<Target>(
  "REST-FEED-002",
  "MUST",
  "D51",
  "a feed that breaks a rule is 400 and names the parameter; a program that is not deployed is 404",
  async (target) => {
    const unknown = await send(target, { path: "/feeds", json: bodyFor(target, { execute: { execProgramId: "ab".repeat(32) } }) })
    const checks = Object.entries(refusals).map(async ([parameter, more]) =>
      refusesParameter(parameter, await send(target, { path: "/feeds", json: bodyFor(target, more) }), parameter)
    )
    return [...(await Promise.all(checks)).flat(), ...isError("an unknown program", unknown, 404, "ProgramNotFound")]
  }
)

const runs = audit<Target>(
  "REST-FEED-003",
  "MUST",
  "D51",
  "a durable feed runs without a connection, shows its last result, and each of its runs is a report of its own",
  async (target) =>
    withFeed(target, { more: { execute: { execProgramId: target.programs.echo, execInputs: "a durable feed" } } }, async (feedId) => {
      const state = await stateWhen(target, feedId, (json) => reached(3)(json) && at(json, "lastResultAt") !== null)
      const query = { execProgramId: target.programs.echo, execInputs: "a durable feed" }
      const last = await send(target, { path: "/execute/last-result", query })
      const drId = String(at(last.json, "data", "dataResult", "drId"))
      const page = at((await send(target, { path: "/data-request-reports", query: { drId } })).json, "data")
      const reports: ReadonlyArray<unknown> = Array.isArray(page) ? page : []
      const ids = reports.map((report) => at(report, "id"))
      return [
        holds("three runs later", reached(3)(state), state),
        same("hasOwner", at(state, "hasOwner"), true),
        same("lastFailure", at(state, "lastFailure"), null),
        holds("lastResultAt", typeof at(state, "lastResultAt") === "string", state),
        holds("reports", ids.length >= 3 && new Set(ids).size === ids.length, ids)
      ]
    })
)

const isPrivate = audit<Target>(
  "REST-FEED-004",
  "MUST",
  "D51",
  "another project's key neither lists, shows nor removes a feed; text that is no id is not echoed",
  async (target) => {
    const { otherTenantKey: key } = target
    if (key === undefined) return { skip: "the target has no second project" }
    return withFeed(target, { more: { periodicityMs: 60_000 } }, async (feedId) => {
      const path = `/feeds/${feedId}`
      const listed = await send(target, { path: "/feeds", key })
      const misplaced = await send(target, { path: `/feeds/${target.apiKey}` })
      return [
        holds("their list", !listed.text.includes(feedId), listed.text),
        ...isError("shown to them", await send(target, { path, key }), 404, "FeedNotFound"),
        ...isError("removed by them", await send(target, { method: "DELETE", path, key }), 404, "FeedNotFound"),
        holds("no echo", !misplaced.text.includes(target.apiKey), misplaced.text),
        same("it is still there", (await send(target, { path })).status, 200)
      ]
    })
  }
)

const goesOn = audit<Target>("REST-FEED-005", "MUST", "D40/D51", "a feed whose runs are refused goes on and shows why", async (target) => {
  const { keyWithoutCredits: key } = target
  if (key === undefined) return { skip: "the target has no key without credits" }
  return withFeed(target, { key }, async (feedId) => {
    const state = await stateWhen(target, feedId, reached(2), key)
    return [
      holds("further runs", reached(2)(state), state),
      same("lastResultAt", at(state, "lastResultAt"), null),
      same("lastFailure", at(state, "lastFailure", "_tag"), "InsufficientCredits")
    ]
  })
})

/** Durable feeds. */
export const durableFeedAudits: ReadonlyArray<Audit<Target>> = skippedWithout("hasDurableFeeds", "the service has no durable feeds", [
  life,
  refuses,
  runs,
  isPrivate,
  goesOn
])
