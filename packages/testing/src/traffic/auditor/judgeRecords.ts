/** Judges each record by itself: ids and signature, the request, the program's result, its encoding, and the parts that were asked for. */
import { at } from "../../audits/rest/call.ts"
import { derivedDrId, derivedResultId, recoveredKey, signatureHolds } from "../../audits/rest/verification.ts"
import type { AskedOptions, AskedRun } from "./askedRun.ts"
import type { Evidence } from "./evidence.ts"
import { hex, type Telling } from "./executions.ts"
import { expectedRequest } from "./expectedDrId.ts"
import { countAt, isEqualJson, parsed, shown, textAt } from "../history/json.ts"
import { runModel } from "./programModel.ts"
import { type TrafficRule, type TrafficViolation, unless } from "./violation.ts"

/** What is wrong with the signed part; `undefined` if nothing is. */
const identityFault = (data: unknown, publicKey: string | undefined): string | undefined => {
  const [request, result, signature] = [at(data, "dataRequest"), at(data, "dataResult"), textAt(data, "signature") ?? ""]
  try {
    const drId = derivedDrId(request)
    if (textAt(result, "drId") !== drId) return `drId is ${textAt(result, "drId")}, the request that is shown has ${drId}`
    const digest = derivedResultId(result)
    if (publicKey === undefined) return undefined
    const signer = recoveredKey(signature, digest)
    if (signer !== publicKey) return `it is signed by ${signer}, GET /info says ${publicKey}`
    return signatureHolds(signature, digest, publicKey) ? undefined : "chains do not accept the signature"
  } catch (cause) {
    return `ids or signature cannot be computed: ${String(cause)}`
  }
}

const jsonOf = (bytes: Uint8Array): unknown => parsed(Buffer.from(bytes).toString("utf8"))

/** The copy of a result in an encoding. */
const encoded = (bytes: Uint8Array, encoding: AskedOptions["encoding"]): unknown => {
  if (encoding === "base64") return Buffer.from(bytes).toString("base64")
  if (encoding === "utf8") return Buffer.from(bytes).toString("utf8")
  const json = encoding === "json" ? jsonOf(bytes) : undefined
  return json ?? `0x${hex(bytes)}`
}

const judgeParts = (
  { data, execution, step }: Telling,
  { includeDebugInfo, includeSummary }: AskedOptions
): ReadonlyArray<TrafficViolation> => {
  // Not every stored result has these, and the other way round nothing says that they must be absent.
  if (execution?.isLastResult === true) return []
  const has = (name: string): boolean => data[name] !== undefined
  return [
    ...unless(has("execute") === includeDebugInfo, "shape", step, () => `execute is ${has("execute") ? "there" : "absent"}`),
    ...unless(has("summary") === includeSummary, "shape", step, () => `summary is ${has("summary") ? "there" : "absent"}`)
  ]
}

const judgeGas = ({ data, step }: Telling): ReadonlyArray<TrafficViolation> => {
  const total = countAt(data, "dataResult", "gasUsed")
  const sums: ReadonlyArray<readonly [string, bigint | undefined, bigint | undefined]> = [
    ["execute and tally", countAt(data, "execute", "gasUsed"), countAt(data, "tally", "gasUsed") ?? 0n],
    ["summary.gasUsed", countAt(data, "summary", "gasUsed", "exec"), countAt(data, "summary", "gasUsed", "tally")]
  ]
  return sums.flatMap(([what, exec, tally]) =>
    unless(
      exec === undefined || tally === undefined || exec + tally === total,
      "gas",
      step,
      () => `${what}: ${exec} + ${tally}, gasUsed is ${total}`
    )
  )
}

/** What was returned, against what the program returns. */
const judgeResult = ({ history }: Evidence, telling: Telling, run: AskedRun): ReadonlyArray<TrafficViolation> => {
  const { data, execution, sent, step, told } = telling
  const wrong = (holds: boolean, message: () => string): ReadonlyArray<TrafficViolation> => unless(holds, "result", step, message)
  // A feed's runs begin at any time, and a stored run may be of any.
  const isOfNow = telling.how !== "feed" && telling.isFresh === true
  const model = runModel(history, run, isOfNow ? sent : { order: 0, atMs: 0 }, told)
  const exitCode = countAt(data, "dataResult", "exitCode")
  const result = textAt(data, "dataResult", "result")
  const isZero = exitCode === 0n
  const tag = execution?.reply?.tag
  return [
    ...wrong(
      model.exits === "either" || (model.exits === "zero") === isZero,
      () => `exit code ${exitCode}, expected ${model.exitCode ?? model.exits}`
    ),
    ...wrong(
      model.exitCode === undefined || exitCode === BigInt(model.exitCode),
      () => `exit code ${exitCode}, expected ${model.exitCode}`
    ),
    ...wrong(
      model.result === undefined || result === hex(model.result),
      () => `result ${result}, expected ${hex(model.result ?? new Uint8Array())}`
    ),
    ...wrong((tag === "ExecuteResponse") === isZero, () => `${tag} with exit code ${exitCode}`),
    ...wrong(
      result === undefined || isEqualJson(at(data, "result"), encoded(Buffer.from(result, "hex"), run.options.encoding)),
      () => `the copy of ${result} as ${run.options.encoding} is ${shown(at(data, "result"))}`
    )
  ]
}

const judgeAnswer = (evidence: Evidence, telling: Telling): ReadonlyArray<TrafficViolation> => {
  const { data, execution, step, tenant } = telling
  if (execution?.asked.kind !== "run") return []
  const { asked } = execution
  const request = expectedRequest(evidence, tenant, asked)
  const printed = at(data, "dataRequest")
  const different = Object.entries(request ?? {}).find(([name, value]) => at(printed, name) !== value)
  return [
    ...unless(
      different === undefined,
      "request",
      step,
      () => `dataRequest.${different?.[0]} is ${shown(at(printed, different?.[0] ?? ""))}, asked for was ${shown(different?.[1])}`
    ),
    ...unless(data["requestId"] === telling.id, "shape", step, () => `requestId is ${shown(data["requestId"])}, id ${telling.id}`),
    ...judgeResult(evidence, telling, asked.run),
    ...judgeParts(telling, asked.run.options)
  ]
}

/** Each record, told or reported. The signed part of one run is looked at once, however often it was told. */
export const judgeRecords = (evidence: Evidence): ReadonlyArray<TrafficViolation> => {
  const faults = new Map<string, string | undefined>()
  const identity: TrafficRule = "identity"
  return [...evidence.tellings, ...evidence.reported].flatMap((telling) => {
    const { data, id, step } = telling
    const signed = JSON.stringify([data["dataRequest"], data["dataResult"], data["signature"]])
    if (!faults.has(signed)) faults.set(signed, identityFault(data, evidence.publicKey))
    const fault = faults.get(signed)
    return [
      ...unless(fault === undefined, identity, step, () => `the run ${id}: ${fault}`),
      ...judgeGas(telling),
      ...judgeAnswer(evidence, telling)
    ]
  })
}
