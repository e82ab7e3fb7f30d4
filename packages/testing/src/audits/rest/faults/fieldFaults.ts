/** Faults of single fields, in one kind of showing only, each with the audit that must detect it. */
import { edited, type Members, type RestFault } from "./restFault.ts"

type Answering = NonNullable<RestFault["answer"]>

const runOf = (json: Members): Members | undefined => {
  const data = json["data"]
  return typeof data === "object" && data !== null && !Array.isArray(data) ? (data as Members) : undefined
}

const recordOf = (run: Members | undefined, record: string): Members | undefined => {
  const members = run?.[record]
  return typeof members === "object" && members !== null ? (members as Members) : undefined
}

/** Where a run is shown. */
type Place = "failure" | "stored" | "history" | "response"

const isAt = (place: Place, json: Members, path: string): boolean => {
  if (place === "stored") return path.endsWith("/execute/last-result")
  if (path.endsWith("/execute/last-result")) return false
  return place === "failure" ? json["_tag"] === "FailedExecutionResponse" : json["_tag"] === "ExecuteResponse"
}

/** Changes one record wherever a run is shown in that way. */
const shownAt = (place: Place, record: string, change: (members: Members) => void): Answering =>
  edited((json, url) => {
    const listed = json["data"]
    const runs = place === "history" ? (Array.isArray(listed) ? (listed as Array<Members>) : []) : [runOf(json)]
    for (const run of runs) {
      const members = recordOf(run, record)
      if (members !== undefined && (place === "history" || isAt(place, json, url.pathname))) change(members)
    }
  })

const inRequest = (place: Place, change: (members: Members) => void): Answering => shownAt(place, "dataRequest", change)
const inResult = (place: Place, change: (members: Members) => void): Answering => shownAt(place, "dataResult", change)

const asNumber = (name: string) => (members: Members) => (members[name] = Number(members[name]))
const as = (name: string, value: unknown) => (members: Members) => (members[name] = value)
const prefixed = (name: string) => (members: Members) => (members[name] = `0x${String(members[name])}`)

/** Only where the verify record is answered. */
const ofVerify = (change: (record: Members) => void): Answering =>
  edited((json) => {
    if ("apiKeyId" in json) change(json)
  })

/** The faults. */
export const fieldFaults: ReadonlyArray<RestFault> = [
  { name: "a filter with 0x in the history", foundBy: "REST-FIELD-001", answer: inRequest("history", prefixed("consensusFilter")) },
  { name: "the default gas limit of a failure", foundBy: "REST-FIELD-002", answer: inRequest("failure", as("execGasLimit", "1000")) },
  { name: "inputs as they were sent", foundBy: "REST-FIELD-003", answer: inRequest("stored", as("execInputs", "{}")) },
  { name: "ids with 0x in failures", foundBy: "REST-FIELD-004", answer: inRequest("failure", prefixed("execProgramId")) },
  { name: "the gas price of the history as a number", foundBy: "REST-FIELD-005", answer: inRequest("history", asNumber("gasPrice")) },
  { name: "no memo in stored results", foundBy: "REST-FIELD-006", answer: inRequest("stored", as("memo", null)) },
  { name: "the number of executors as a text", foundBy: "REST-FIELD-007", answer: inRequest("response", as("replicationFactor", "1")) },
  { name: "the tally's limit as a number", foundBy: "REST-FIELD-008", answer: inRequest("history", asNumber("tallyGasLimit")) },
  { name: "no tally inputs in the history", foundBy: "REST-FIELD-009", answer: inRequest("history", as("tallyInputs", null)) },
  { name: "no tally program in failures", foundBy: "REST-FIELD-010", answer: inRequest("failure", as("tallyProgramId", "")) },
  { name: "the version as a number", foundBy: "REST-FIELD-011", answer: inRequest("stored", as("version", 1)) },
  { name: "the drId of another request", foundBy: "REST-FIELD-012", answer: inResult("failure", as("drId", "ab".repeat(32))) },
  { name: "failures for nothing", foundBy: "REST-FIELD-013", answer: inResult("failure", as("gasUsed", "0")) },
  { name: "the height as a number", foundBy: "REST-FIELD-014", answer: inResult("history", asNumber("blockHeight")) },
  { name: "stored timestamps in seconds", foundBy: "REST-FIELD-015", answer: inResult("stored", as("blockTimestamp", "1795571446")) },
  { name: "consensus as a text", foundBy: "REST-FIELD-016", answer: inResult("history", as("consensus", "true")) },
  {
    name: "exit codes as texts",
    foundBy: "REST-FIELD-017",
    answer: inResult("failure", (result) => (result["exitCode"] = String(result["exitCode"])))
  },
  { name: "the version of the server", foundBy: "REST-FIELD-018", answer: inResult("failure", as("version", "1.0.0")) },
  { name: "no result of failures", foundBy: "REST-FIELD-019", answer: inResult("failure", as("result", "")) },
  { name: "nobody to pay back is null", foundBy: "REST-FIELD-020", answer: inResult("stored", as("paybackAddress", null)) },
  {
    name: "failures without a payload",
    foundBy: "REST-FIELD-021",
    answer: inResult("failure", (result) => delete result["servicePayload"])
  },
  { name: "one id for all keys", foundBy: "REST-FIELD-022", answer: ofVerify(as("apiKeyId", "key")) },
  { name: "the end of a key in seconds", foundBy: "REST-FIELD-023", answer: ofVerify(as("apiKeyExpiresAt", 1_795_571_446)) },
  { name: "another organization", foundBy: "REST-FIELD-024", answer: ofVerify(as("organizationId", globalThis.crypto.randomUUID())) },
  {
    name: "the organization's id as its name",
    foundBy: "REST-FIELD-025",
    answer: ofVerify((record) => (record["organizationSlug"] = record["organizationId"]))
  },
  {
    name: "projects of an organization under one id",
    foundBy: "REST-FIELD-026",
    answer: ofVerify((record) => (record["projectId"] = record["organizationId"]))
  },
  { name: "a balance that was remembered", foundBy: "REST-FIELD-027", answer: ofVerify(as("remainingCreditsSnapshot", "1000")) },
  { name: "used credits that stand still", foundBy: "REST-FIELD-028", answer: ofVerify(as("usedCreditsSnapshot", "0")) }
]
