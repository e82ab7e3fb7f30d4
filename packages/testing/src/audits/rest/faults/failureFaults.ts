/** Faults in executions that fail, each with the audit that must detect it (D16, D22, D25, D29). */
import { data, dataResult, edited, editedAt, type Members, type RestFault, unsteady, withHeader, withStatus } from "./restFault.ts"

/** The faults. */
export const failureFaults: ReadonlyArray<RestFault> = [
  { name: "failures as 200", foundBy: "REST-FAIL-001", answer: withStatus(599, 200) },
  {
    name: "no logs of failures",
    foundBy: "REST-FAIL-002",
    answer: editedAt(["data", "execute"], (members) => (members["stderr"] = ""))
  },
  {
    name: "no consensus when the tally fails",
    foundBy: "REST-FAIL-003",
    answer: editedAt(dataResult, (members) => (members["consensus"] = false))
  },
  {
    name: "exit code 256 as 0",
    foundBy: "REST-FAIL-004",
    answer: editedAt(dataResult, (members) => (members["exitCode"] = Number(members["exitCode"]) % 255))
  },
  {
    name: "no result of a trap",
    foundBy: "REST-FAIL-005",
    answer: editedAt(data, (members) => (members["result"] = ""))
  },
  {
    name: "gas of a loop not counted to its limit",
    foundBy: "REST-FAIL-006",
    answer: editedAt(dataResult, (members) => (members["gasUsed"] = "5000000000000"))
  },
  {
    name: "the reason after the data",
    foundBy: "REST-FAIL-008",
    answer: edited((json) => {
      const { error, message, ...others } = json
      for (const name of Object.keys(json)) delete json[name]
      Object.assign(json, others, { error, message })
    })
  },
  {
    name: "no reason in the text",
    foundBy: "REST-FAIL-008",
    answer: edited((json) => (json["error"] = json["message"] = String(json["error"]).replace(/:.*/, ".")))
  },
  {
    name: "failures as hex whatever is asked",
    foundBy: "REST-FAIL-009",
    answer: edited((json) => {
      if (json["_tag"] === "FailedExecutionResponse") (json["data"] as Members)["result"] = "0x68616c6620646f6e65"
    })
  },
  {
    name: "large results cut short",
    foundBy: "REST-FAIL-010",
    // A pattern of 96,001 and more would be tried at each of 96,000 characters, which takes 14 s.
    body: (text) => text.replace(/x{9,}/, (all) => all.slice(0, 96_000))
  },
  {
    name: "failures as pages",
    foundBy: "REST-EXEC-005",
    answer: (passing, url) => (passing.status === 599 ? withHeader("content-type", "text/html")(passing, url) : passing)
  },
  { name: "gas that is never the same", foundBy: "REST-FAIL-007", answer: unsteady() }
]
