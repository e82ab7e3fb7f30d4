/** Faults in retries, quotes and usage limits, each with the audit that must detect it. */
import { edited, editedAt, type RestFault, withHeader, withoutHeader, withParameter, withStatus } from "./restFault.ts"

const keyless = (headers: Headers): void => headers.delete("idempotency-key")
const quote = ["data", "quote"] as const

/** The faults. */
export const creditFaults: ReadonlyArray<RestFault> = [
  { name: "keys ignored", foundBy: "REST-RETRY-001", headers: keyless },
  { name: "no mark of a replay", foundBy: "REST-RETRY-001", answer: withoutHeader("idempotency-replayed") },
  {
    name: "replays with an empty request id",
    foundBy: "REST-RETRY-001",
    answer: (passing) => {
      if (passing.headers.has("idempotency-replayed")) passing.headers.set("x-request-id", "")
      return passing
    }
  },
  {
    name: "keys that depend on how a request is written",
    foundBy: "REST-RETRY-001",
    headers: (headers, body) => headers.set("idempotency-key", `${headers.get("idempotency-key")}-${body.length}`)
  },
  { name: "failures run again", foundBy: "REST-RETRY-002", headers: keyless },
  { name: "one answer for every request", foundBy: "REST-RETRY-003", answer: withStatus(422, 200) },
  {
    name: "keys cut short",
    foundBy: "REST-RETRY-004",
    headers: (headers) => headers.set("idempotency-key", (headers.get("idempotency-key") ?? "").slice(0, 255))
  },
  {
    name: "a key for each of many at once",
    foundBy: "REST-RETRY-005",
    headers: (headers) => headers.set("idempotency-key", globalThis.crypto.randomUUID())
  },
  { name: "refusals as repetitions", foundBy: "REST-RETRY-006", answer: withHeader("idempotency-replayed", "true") },
  {
    name: "another project's answer",
    foundBy: "REST-RETRY-007",
    answer: editedAt(["data"], (members) => (members["id"] = "1"))
  },
  { name: "GET as a repetition", foundBy: "REST-RETRY-008", answer: withHeader("idempotency-replayed", "true") },
  {
    name: "no split of the worst case",
    foundBy: "REST-QUOTE-001",
    answer: editedAt([...quote, "cost"], (members) => (members["base"] = members["total"]))
  },
  { name: "a quote that runs", foundBy: "REST-QUOTE-002", request: withParameter("dryRun", undefined) },
  {
    name: "the worst case as the typical one",
    foundBy: "REST-QUOTE-003",
    answer: editedAt(quote, (members) => (members["typical"] = members["worstCase"]))
  },
  {
    name: "always affordable",
    foundBy: "REST-QUOTE-004",
    answer: editedAt(quote, (members) => (members["affordable"] = true))
  },
  {
    name: "another price than is held",
    foundBy: "REST-QUOTE-004",
    answer: editedAt(quote, (members) => (members["worstCase"] = "1"))
  },
  {
    name: "held credits that are always none",
    foundBy: "REST-QUOTE-006",
    answer: editedAt(["credits"], (credits) => (credits["held"] = "0"))
  },
  {
    name: "held credits that are always many",
    foundBy: "REST-QUOTE-006",
    answer: editedAt(["credits"], (credits) => (credits["held"] = "1000000"))
  },
  {
    name: "held credits that remain",
    foundBy: "REST-QUOTE-006",
    answer: editedAt(
      ["credits"],
      (credits) => (credits["remaining"] = String(BigInt(String(credits["remaining"])) + BigInt(String(credits["held"]))))
    )
  },
  { name: "any value for a dry run", foundBy: "REST-QUOTE-005", request: withParameter("dryRun", "true") },
  {
    name: "a limit without numbers",
    foundBy: "REST-LIMIT-001",
    answer: edited((json) => delete json["details"])
  },
  { name: "retry in a year", foundBy: "REST-LIMIT-001", answer: withHeader("retry-after", "31536000") },
  {
    name: "stored results refused",
    foundBy: "REST-LIMIT-002",
    request: withParameter("returnLastResult", undefined)
  },
  {
    name: "runs that do not count",
    foundBy: "REST-LIMIT-002",
    answer: editedAt(["usageLimits"], (members) => (members["used"] = "0"))
  },
  {
    name: "refused runs are held for",
    foundBy: "REST-LIMIT-004",
    answer: (() => {
      let asked = 0
      return editedAt(["credits"], (credits) => (credits["held"] = String((asked += 1))))
    })()
  },
  { name: "nothing stored is no error", foundBy: "REST-LIMIT-004", answer: withStatus(404, 200) },
  {
    name: "the limit is not in the quote",
    foundBy: "REST-LIMIT-003",
    answer: editedAt(quote, (members) => (members["remainingInPeriod"] = null))
  }
]
