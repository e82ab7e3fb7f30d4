/** What always holds of answers over REST: typed, of the caller's own tenant, stored before they are given, and the same under one key. */
import type { ExecutionReport } from "@sibyl/core"
import { fromUtf8, toHex } from "@sibyl/core/internal"
import { resultPrefix } from "../world/programs.ts"
import { type RestAnswer, type RestRequest, tagOf } from "../world/restRequest.ts"
import { holdOfRun, type Tenant } from "../world/tenants.ts"
import type { World } from "../world/world.ts"
import { toldErrors } from "./toldErrors.ts"

/** The part of an answer that says what ran. */
export interface ShownData {
  readonly id?: string
  readonly signature?: string
  readonly dataResult?: { readonly drId: string; readonly exitCode: number; readonly blockTimestamp: string }
}

/** The credits of a project at the end of a step. */
export interface FreeCredits {
  readonly atMs: number
  readonly credits: bigint
  readonly granted: bigint
  readonly used: bigint
}

/** The reports by id, of all projects, with the free credits of each at the ends of steps. */
export interface Stored {
  readonly reports: ReadonlyMap<string, ExecutionReport>
  /** By project, the credits that nobody held at the end of each step, with its time, and those that were used. */
  readonly free: ReadonlyMap<string, ReadonlyArray<FreeCredits>>
}

const isRun = (request: RestRequest): boolean => request.url.startsWith("/execute") && request.inputs !== undefined

/** Whether a result was stored before, and only repeated. */
const isRepeated = ({ headers }: RestAnswer): boolean =>
  headers["x-sibyl-cache"] !== undefined || headers["idempotency-replayed"] !== undefined

/** Texts that only results of a tenant have, plain and in hex. */
export const marksOf = ({ projectId }: Tenant): ReadonlyArray<string> => {
  const mark = resultPrefix(projectId)
  return [mark, toHex(fromUtf8(mark)), projectId]
}

/** No text of one tenant has a mark of another one. */
export const checkPrivacy = (world: World, tenant: Tenant, text: string, where: string): void => {
  for (const other of world.tenants) {
    if (other === tenant) continue
    const seen = marksOf(other).find((mark) => text.includes(mark))
    world.findings.mustHold(
      seen === undefined,
      "nothing of another tenant",
      () => `${where} of ${tenant.name} shows ${seen} of ${other.name}`
    )
  }
}

/** A shown result is the stored one: with the same id, signature and exit code. */
export const checkShown = (
  world: World,
  tenant: Tenant,
  { dataResult, id = "", signature }: ShownData,
  stored: Stored,
  where: string
): void => {
  const report = stored.reports.get(id)
  world.findings.mustHold(
    report !== undefined && report.projectId === tenant.projectId,
    "an answered run is stored and charged",
    () => `${where} shows run ${id}, which ${tenant.name} has no report of`
  )
  world.findings.mustHold(
    report === undefined || (report.signature === signature && String(report.dataResult.blockTimestamp) === dataResult?.blockTimestamp),
    "an answer is what is stored",
    () => `${where} shows another result of run ${id} than is stored`
  )
}

/** Whether a run with these inputs failed by a fault of the runtime while somebody waited for it. */
export const hadDefect = ({ programs }: World, inputs: string | undefined, sinceMs: number): boolean =>
  programs.runs.some(
    (run) =>
      run.inputs === inputs &&
      (run.endMs === undefined || run.endMs >= sinceMs) &&
      (run.plan.ending === "defect" || run.plan.ending === "tallyDefect")
  )

const hadStoreFault = ({ faults }: World, fromMs: number, untilMs: number): boolean =>
  faults.storeFaultsAtMs.some((atMs) => atMs >= fromMs && atMs <= untilMs)

const checkTyped = (world: World, request: RestRequest, { atMs, json, status }: RestAnswer): void => {
  const tag = tagOf(json)
  const told = `#${request.number} was answered ${status} ${tag}`
  if (status === 200 || status === 201) return
  world.findings.mustHold(toldErrors[tag]?.status === status, "errors are typed", () => told)
  if (tag === "InternalError")
    world.findings.mustHold(hadDefect(world, request.inputs, request.sentAtMs), "no error without a fault", () => told)
  if (tag === "Unavailable") world.findings.mustHold(hadStoreFault(world, request.sentAtMs, atMs), "no error without a fault", () => told)
  if (request.refusal === undefined && (tag === "InvalidParameter" || tag === "ProgramNotAllowed" || tag === "ProgramNotFound")) {
    world.findings.mustHold(false, "no error without a fault", () => told)
  }
}

const checkKey = (world: World, { key, number, sentAtMs }: RestRequest, { json, status }: RestAnswer): void => {
  const isRevoked = key.revokedAtMs !== undefined
  const wasRevoked = key.revokedAtMs !== undefined && key.revokedAtMs < sentAtMs
  const isUnknown = key.apiKeyId === "none"
  const isRefused = status === 401 || status === 503
  const isOpen = json["publicKey"] !== undefined && status === 200
  world.findings.mustHold(
    !(wasRevoked || isUnknown) || isRefused || isOpen,
    "an invalid key opens nothing",
    () => `#${number} got ${status}`
  )
  world.findings.mustHold(status !== 401 || isRevoked || isUnknown, "a valid key is accepted", () => `#${number} got 401`)
}

/** How many runs of the tenant may have held credits since then. */
const overlapping = (world: World, tenant: Tenant, fromMs: number): number =>
  world.requests.filter((other) => other.tenant === tenant && (other.answer?.atMs ?? Number.POSITIVE_INFINITY) >= fromMs).length +
  world.sockets.filter((socket) => socket.tenant === tenant).reduce((sum, socket) => sum + socket.requests.size, 0) +
  world.programs.runs.filter(({ endMs, projectId }) => projectId === tenant.projectId && (endMs === undefined || endMs >= fromMs)).length

/** The ends of steps since a request was sent, with the one before. */
const sinceSent = ({ sentAtMs }: RestRequest, at: ReadonlyArray<FreeCredits>): ReadonlyArray<FreeCredits> =>
  at.slice(
    Math.max(
      0,
      at.findLastIndex((one) => one.atMs <= sentAtMs)
    )
  )

/** What its project had been granted while a request was under way: at times more, at times less. */
const grantedSince = (request: RestRequest, at: ReadonlyArray<FreeCredits>): ReadonlyArray<bigint> => [
  request.grantedAtSend,
  ...sinceSent(request, at).map(({ granted }) => granted)
]

const leastOf = (credits: ReadonlyArray<bigint>): bigint => credits.reduce((least, one) => (one < least ? one : least))

const mostOf = (credits: ReadonlyArray<bigint>): bigint => credits.reduce((most, one) => (one > most ? one : most))

/** A refusal for want of credits is right: there were too few, or there may have been. */
const checkRefusal = (world: World, request: RestRequest, { atMs, json }: RestAnswer, { free }: Stored): void => {
  if (json["_tag"] !== "InsufficientCredits") return
  const { remaining, required } = json["details"] as { readonly remaining: string; readonly required: string }
  world.findings.mustHold(
    BigInt(remaining) < BigInt(required),
    "refused without need",
    () => `#${request.number}: ${remaining} of ${required}`
  )
  if (hadStoreFault(world, request.sentAtMs - 10_000, atMs)) return
  const at = free.get(request.tenant.projectId) ?? []
  const since = sinceSent(request, at)
  const least = since.reduce((most, { credits }) => (credits < most ? credits : most), 1_000_000_000n)
  const mayHold = BigInt(overlapping(world, request.tenant, request.sentAtMs)) * holdOfRun
  world.findings.mustHold(
    least - mayHold < holdOfRun,
    "refused without need",
    () => `#${request.number} was refused; ${least} were free, of which others may have held ${mayHold}`
  )
  // Without a crash nobody has credits but runs in flight: what a server holds for runs to come has to be called back.
  if (world.faults.storeFaultsAtMs.length > 0 || world.servers.some(({ crashes }) => crashes > 0)) return
  const unused = leastOf(grantedSince(request, at)) - (at.at(-1)?.used ?? 0n)
  world.findings.mustHold(
    unused - mayHold < holdOfRun,
    "refused without need",
    () => `#${request.number} was refused; ${unused} were not used, of which others may have held ${mayHold}`
  )
}

const checkPlanned = (world: World, request: RestRequest, { json, status }: RestAnswer): void => {
  const { refusal } = request
  if (refusal === undefined || status === 503 || (status === 401 && request.key.revokedAtMs !== undefined)) return
  world.findings.mustHold(
    status === refusal.status && json["_tag"] === refusal.tag,
    "what is wrong is refused",
    () => `#${request.number} was answered ${status} ${tagOf(json)}, not ${refusal.status} ${refusal.tag}`
  )
}

const checkBalance = (world: World, request: RestRequest, { json, status }: RestAnswer, { free }: Stored): void => {
  const { number, tenant, url } = request
  if (url !== "/project" || status !== 200) return
  const { held, remaining, used } = json["credits"] as Readonly<Record<"held" | "remaining" | "used", string>>
  const sum = BigInt(held) + BigInt(remaining) + BigInt(used)
  const granted = grantedSince(request, free.get(tenant.projectId) ?? [])
  world.findings.mustHold(
    sum >= leastOf(granted) && sum <= mostOf(granted) && BigInt(remaining) >= 0n && BigInt(held) >= 0n,
    "granted = remaining + used + held",
    () => `#${number}: ${remaining} + ${used} + ${held}, granted ${tenant.granted}`
  )
}

/** Earlier answers to this tenant about the same request. */
const earlier = (world: World, request: RestRequest, atMs: number): ReadonlyArray<RestAnswer> =>
  world.requests.flatMap((other) =>
    other.tenant === request.tenant && other !== request && other.answer !== undefined && other.answer.atMs < atMs ? [other.answer] : []
  )

/** A result is dated later than every result of its drId that was answered before it was asked for. */
const checkTime = (world: World, request: RestRequest, answer: RestAnswer): void => {
  const data = answer.json["data"] as ShownData | undefined
  if (data?.dataResult === undefined || isRepeated(answer)) return
  const { blockTimestamp, drId } = data.dataResult
  for (const before of earlier(world, request, request.sentAtMs)) {
    const result = (before.json["data"] as ShownData | undefined)?.dataResult
    if (result?.drId !== drId) continue
    world.findings.mustHold(
      BigInt(result.blockTimestamp) < BigInt(blockTimestamp),
      "timestamps of a drId increase",
      () => `#${request.number}: ${blockTimestamp} after ${result.blockTimestamp}`
    )
  }
}

const checkLastResult = (world: World, request: RestRequest, answer: RestAnswer): void => {
  if (answer.json["_tag"] !== "LastResultNotFound") return
  const wanted = new URLSearchParams(request.url.split("?")[1])
  const inputs = wanted.get("execInputs")
  const needsSuccess = wanted.get("mode") === "success"
  const known = world.requests.find(
    (other) =>
      other.tenant === request.tenant &&
      other.inputs === inputs &&
      other.answer !== undefined &&
      other.answer.atMs < request.sentAtMs &&
      (other.answer.status === 200 || (other.answer.status === 599 && !needsSuccess)) &&
      `${other.url}${JSON.stringify(other.body ?? "")}`.includes(world.deployed.common)
  )
  world.findings.mustHold(known === undefined, "a stored result is found", () => `#${request.number}: #${known?.number} ran ${inputs}`)
}

/** Checks one answer. */
export const checkAnswer = (world: World, request: RestRequest, answer: RestAnswer, stored: Stored): void => {
  checkTyped(world, request, answer)
  checkKey(world, request, answer)
  checkPlanned(world, request, answer)
  checkRefusal(world, request, answer, stored)
  checkBalance(world, request, answer, stored)
  checkPrivacy(world, request.tenant, answer.text, `the answer to #${request.number}`)
  const data = answer.json["data"] as ShownData | undefined
  if (isRun(request) && (answer.status === 200 || answer.status === 599)) {
    checkShown(world, request.tenant, data ?? {}, stored, `the answer to #${request.number}`)
    const isFailure = data?.dataResult?.exitCode !== 0
    world.findings.mustHold(
      isFailure === (answer.status === 599),
      "599 is a failed program",
      () => `#${request.number} got ${answer.status}`
    )
    checkTime(world, request, answer)
  }
  if (request.url.startsWith("/execute/last-result")) checkLastResult(world, request, answer)
  checkIdempotency(world, request, answer)
}

/** All answers under one key are the first one, and of one request. */
const checkIdempotency = (world: World, request: RestRequest, answer: RestAnswer): void => {
  const { idempotencyKey, inputs, tenant } = request
  if (idempotencyKey === undefined || (answer.status !== 200 && answer.status !== 599)) return
  for (const other of world.requests) {
    if (other === request || other.tenant !== tenant || other.idempotencyKey !== idempotencyKey || other.answer === undefined) continue
    if (other.answer.status !== 200 && other.answer.status !== 599) continue
    world.findings.mustHold(
      other.inputs === inputs && other.url === request.url,
      "a key is of one request",
      () => `#${other.number} and #${request.number} were both answered under ${idempotencyKey}`
    )
    world.findings.mustHold(
      other.answer.text === answer.text,
      "one answer under one key",
      () => `#${other.number} and #${request.number} under ${idempotencyKey} differ: ${other.answer?.text} | ${answer.text}`
    )
  }
}
