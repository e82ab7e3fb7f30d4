/** Faults in what is told of programs and keys, each with the audit that must detect it. */
import { edited, editedAt, type RestFault } from "./restFault.ts"

/** Faults of programs and keys. */
export const programFaults: ReadonlyArray<RestFault> = [
  { name: "a program without its size", foundBy: "REST-PROGRAM-001", answer: edited((json) => delete json["sizeBytes"]) },
  {
    name: "a program's size in pages",
    foundBy: "REST-PROGRAM-001",
    answer: edited((json) => {
      if ("sizeBytes" in json) json["sizeBytes"] = 1
    })
  },
  {
    name: "a signing key that is not to be accepted any more",
    foundBy: "REST-INFO-001",
    answer: edited((json) => {
      const ended = "2020-01-01T00:00:00.000Z"
      if ("network" in json) json["keys"] = [{ publicKey: json["publicKey"], activeFrom: ended, retiredAt: null, validUntil: ended }]
    })
  },
  {
    name: "the oldest runs first",
    foundBy: "REST-PROGRAM-001",
    answer: edited((json) => {
      if (Array.isArray(json["lastRuns"])) json["lastRuns"].reverse()
    })
  },
  {
    name: "programs off the list as unknown ones",
    foundBy: "REST-PROGRAM-002",
    answer: (passing, url) =>
      url.pathname.includes("/programs/") && passing.text.includes("ProgramNotAllowed") ? { ...passing, status: 404 } : passing
  },
  {
    name: "no runs of a program",
    foundBy: "REST-PROGRAM-003",
    answer: edited((json) => {
      if ("lastRuns" in json) json["lastRuns"] = []
    })
  },
  {
    name: "ids of keys beside their names",
    foundBy: "REST-KEYS-001",
    answer: (passing, url) => {
      if (url.pathname.endsWith("/keys")) return { ...passing, text: passing.text.replace('"name":', '"id":"1","name":') }
      return passing
    }
  },
  { name: "keys without their end", foundBy: "REST-KEYS-001", answer: editedAt(["data", "0"], (key) => delete key["expiresAt"]) }
]
