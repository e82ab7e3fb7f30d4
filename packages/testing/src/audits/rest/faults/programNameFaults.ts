/** Faults around program names, each with the audit that must detect it. */
import { edited, editedAt, type RestFault, withStatus } from "./restFault.ts"

/** The faults of names. */
export const programNameFaults: ReadonlyArray<RestFault> = [
  {
    name: "the name instead of the id",
    foundBy: "REST-NAME-001",
    answer: editedAt(["data", "dataRequest"], (members) => {
      if (typeof members["execOnsName"] === "string") members["execProgramId"] = members["execOnsName"]
    })
  },
  {
    name: "a drId of its own for a name",
    foundBy: "REST-NAME-001",
    answer: (passing) => {
      if (!passing.text.includes("execOnsName")) return passing
      return { ...passing, text: passing.text.replace(/"drId":"./, '"drId":"x') }
    }
  },
  { name: "an unknown name as a wrong parameter", foundBy: "REST-NAME-002", answer: withStatus(404, 400) },
  {
    name: "names without their programs",
    foundBy: "REST-NAME-003",
    answer: edited((json) => {
      if (Array.isArray(json["data"])) json["data"] = json["data"].map((entry: object) => ({ ...entry, programId: "" }))
    })
  }
]
