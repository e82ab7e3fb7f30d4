/** Judges runs across everything that was told of them: one id is one run of one project, made for one request. */
import { at } from "../../audits/rest/call.ts"
import { isBefore } from "../history/history.ts"
import type { Evidence } from "./evidence.ts"
import { askedKeyOf, requestKeyOf, type Telling, wasCrashedAfter } from "./executions.ts"
import { countAt, isEqualJson, shown, textAt } from "../history/json.ts"
import { runModel } from "./programModel.ts"
import { type TrafficViolation, unless } from "./violation.ts"

const signedParts = ({ data }: Telling): unknown => ["dataResult", "signature"].map((name) => data[name])

const grouped = <Key>(tellings: ReadonlyArray<Telling>, keyOf: (telling: Telling) => Key): ReadonlyMap<Key, ReadonlyArray<Telling>> => {
  const groups = new Map<Key, Array<Telling>>()
  for (const telling of tellings) {
    const group = groups.get(keyOf(telling))
    if (group === undefined) groups.set(keyOf(telling), [telling])
    else group.push(telling)
  }
  return groups
}

/** Everything that names an id. */
const judgeOne = (id: string, [first, ...others]: ReadonlyArray<Telling>): ReadonlyArray<TrafficViolation> => {
  const different = others.find((other) => !isEqualJson(signedParts(other), signedParts(first as Telling)))
  const foreign = others.find(({ tenant }) => tenant !== first?.tenant)
  const fresh = [first, ...others].filter((telling) => telling?.isFresh === true)
  return [
    ...unless(different === undefined, "one-run", different?.step, () => `the run ${id} is shown with two results`),
    ...unless(
      foreign === undefined,
      "tenants",
      foreign?.step,
      () => `the run ${id} of tenant ${first?.tenant} is shown to tenant ${foreign?.tenant}`
    ),
    ...unless(fresh.length < 2, "one-run", fresh[1]?.step, () => `the run ${id} answers ${fresh.length} requests that each ask for a run`)
  ]
}

const timestampOf = ({ data }: Telling): bigint => countAt(data, "dataResult", "blockTimestamp") ?? 0n

/** A new run is later than every run of its request that was told before it was asked for. */
const judgeTimes = (ofRequest: ReadonlyArray<Telling>): ReadonlyArray<TrafficViolation> =>
  ofRequest.flatMap((telling, at) => {
    if (telling.isFresh !== true || telling.how === "report") return []
    const before = ofRequest.slice(0, at).filter(({ id, told }) => id !== telling.id && isBefore(told, telling.sent))
    const newest = before.find((other) => timestampOf(other) >= timestampOf(telling))
    return unless(
      newest === undefined,
      "one-run",
      telling.step,
      () => `the new run ${telling.id} is dated ${timestampOf(telling)}, the run ${newest?.id} before it ${timestampOf(newest as Telling)}`
    )
  })

/** The gas of a request whose program always does the same. With an injected result it may differ. */
const judgeGas = ({ history, tellings }: Evidence): ReadonlyArray<TrafficViolation> => {
  const steady = tellings.filter(({ execution, sent, told }) => {
    const asked = execution?.asked
    return asked?.kind === "run" && !asked.run.options.injects && runModel(history, asked.run, sent, told).isSteady
  })
  return [...grouped(steady, ({ data }) => `${textAt(data, "dataResult", "drId")}`).values()].flatMap(([first, ...others]) => {
    const gas = (telling: Telling | undefined): unknown => at(telling?.data, "dataResult", "gasUsed")
    // A stored result may be of a run with an injected one.
    const other = others.find((telling) => telling.isFresh === true && first?.isFresh === true && gas(telling) !== gas(first))
    return unless(other === undefined, "gas", other?.step, () => `equal requests used ${shown(gas(first))} and ${shown(gas(other))}`)
  })
}

/** A report without a request that it can be the run of. */
const judgeCause = (evidence: Evidence, tenant: number, reports: ReadonlyMap<string, Telling>): ReadonlyArray<TrafficViolation> => {
  const { executions, feeds, history, tellings } = evidence
  const told = new Set(tellings.filter(({ isFresh }) => isFresh !== false).map(({ id }) => id))
  const untold = [...reports.values()].filter(({ id }) => !told.has(id))
  return [...grouped(untold, ({ data }) => `${textAt(data, "source")} ${requestKeyOf(data["dataRequest"])}`)].flatMap(([cause, runs]) => {
    const [source = "", ...words] = cause.split(" ")
    const key = words.join(" ")
    const silent = executions.filter(
      ({ asked, reply, sent, tenant: of, via }) =>
        of === tenant &&
        via === source &&
        reply === undefined &&
        askedKeyOf(asked) === key &&
        (via === "ws" || wasCrashedAfter(history, sent))
    )
    const fed = feeds.filter(
      ({ asked, reply, socket }) =>
        socket.tenant === tenant && askedKeyOf(asked) === key && (reply === undefined || reply.tag === undefined)
    )
    const isUnbounded = fed.some(({ law }) => law?.mode === "PARALLEL")
    const allowed = source === "feed" ? (isUnbounded ? Number.POSITIVE_INFINITY : fed.length) : silent.length
    const ids = runs.map(({ id }) => id).join(", ")
    return unless(
      runs.length <= allowed,
      "reports",
      undefined,
      () => `${runs.length} charged runs of ${source} were told to nobody (${ids}), at most ${allowed} can be`
    )
  })
}

/** Everything about runs. */
export const judgeRuns = (evidence: Evidence): ReadonlyArray<TrafficViolation> => {
  const { reported, settled, tellings } = evidence
  const all = [...tellings, ...reported]
  return [
    ...[...grouped(all, ({ id }) => id)].flatMap(([id, group]) => judgeOne(id, group)),
    ...[...grouped(tellings, ({ data, tenant }) => `${tenant} ${requestKeyOf(data["dataRequest"])}`).values()].flatMap(judgeTimes),
    ...judgeGas(evidence),
    ...[...settled].flatMap(([tenant, reports]) => judgeCause(evidence, tenant, reports))
  ]
}
