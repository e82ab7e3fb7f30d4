/** Faults that a service could have, each with the audit that must detect it: they prove that the audits can fail. */
import {
  bodyEdited,
  crossed,
  data,
  dataResult,
  edited,
  editedAt,
  reversed,
  rewritten,
  withHeader,
  withParameter,
  withStatus,
  withoutHeader,
  type Members,
  type RestFault
} from "./restFault.ts"

/** The faults. A new audit needs a new fault. */
export const restFaults: ReadonlyArray<RestFault> = [
  {
    name: "no requestId",
    foundBy: "REST-EXEC-001",
    answer: editedAt(data, (members) => delete members["requestId"])
  },
  { name: "data in another order", foundBy: "REST-EXEC-001", answer: editedAt(data, reversed) },
  {
    name: "tallyProgramId not filled in",
    foundBy: "REST-EXEC-002",
    answer: editedAt(["data", "dataRequest"], (members) => (members["tallyProgramId"] = ""))
  },
  {
    name: "dataResult.result with 0x",
    foundBy: "REST-EXEC-003",
    answer: editedAt(dataResult, (members) => (members["result"] = `0x${String(members["result"])}`))
  },
  {
    name: "timestamps in seconds",
    foundBy: "REST-EXEC-004",
    answer: editedAt(dataResult, (members) => {
      members["blockTimestamp"] = String(members["blockTimestamp"]).slice(0, 10)
    })
  },
  {
    name: "indented JSON",
    foundBy: "REST-EXEC-005",
    answer: rewritten((text) => JSON.stringify(JSON.parse(text), null, 2))
  },
  { name: "a line break at the end", foundBy: "REST-EXEC-005", answer: rewritten((text) => `${text}\n`) },
  {
    name: "another drId by POST",
    foundBy: "REST-EXEC-006",
    answer: edited((json, url) => {
      if (!url.searchParams.has("execProgramId")) (json["data"] as Members)["dataResult"] = { drId: "ab".repeat(32) }
    })
  },
  {
    name: "inputs made up",
    foundBy: "REST-EXEC-007",
    answer: editedAt(["data", "dataRequest"], (members) => (members["tallyInputs"] = "00"))
  },
  { name: "tallyProgramId ignored", foundBy: "REST-EXEC-008", request: withParameter("tallyProgramId", undefined) },
  {
    name: "program ids echoed as sent",
    foundBy: "REST-EXEC-009",
    answer: editedAt(["data", "dataRequest"], (members) => {
      members["execProgramId"] = `0x${String(members["execProgramId"])}`
    })
  },
  {
    name: "gas of one phase only",
    foundBy: "REST-EXEC-010",
    answer: edited((json) => {
      const members = json["data"] as Members
      ;(members["dataResult"] as Members)["gasUsed"] = (members["execute"] as Members)["gasUsed"]
    })
  },
  {
    name: "gas changed after signing",
    foundBy: "REST-EXEC-011",
    answer: editedAt(dataResult, (members) => (members["gasUsed"] = `${String(members["gasUsed"])}0`))
  },
  {
    name: "v of 27 and 28",
    foundBy: "REST-EXEC-011",
    answer: editedAt(data, (members) => {
      const signature = String(members["signature"])
      members["signature"] = `${signature.slice(0, 128)}${signature.endsWith("00") ? "1b" : "1c"}`
    })
  },
  { name: "answers crossed between callers", foundBy: "REST-EXEC-012", answer: crossed() },
  {
    name: "another order of the environment",
    foundBy: "REST-EXEC-013",
    answer: editedAt(data, (members) => {
      members["result"] = String(members["result"]).split("\0").toSorted().join("\0")
    })
  },
  { name: "inputEncoding ignored", foundBy: "REST-INPUT-001", request: withParameter("inputEncoding", undefined) },
  { name: "utf8 by default", foundBy: "REST-INPUT-002", request: withParameter("inputEncoding", "utf8") },
  { name: "wrong hex taken for nothing", foundBy: "REST-INPUT-003", request: withParameter("execInputs", "0x") },
  {
    name: "unknown encodings taken for auto",
    foundBy: "REST-INPUT-004",
    request: withParameter("inputEncoding", "auto")
  },
  {
    name: "a plus kept as a plus",
    foundBy: "REST-INPUT-005",
    request: (url) => {
      url.search = url.search.replaceAll("+", "%2B")
    }
  },
  { name: "keys in the engine's order", foundBy: "REST-INPUT-006", body: bodyEdited(() => {}) },
  { name: "integers rounded", foundBy: "REST-INPUT-007", body: bodyEdited(() => {}) },
  { name: "null taken for a text", foundBy: "REST-INPUT-008", body: (text) => text.replaceAll("null", '"null"') },
  {
    name: "scalars taken for texts",
    foundBy: "REST-INPUT-009",
    body: bodyEdited((members) => {
      for (const name of ["execInputs", "tallyInputs"]) if (name in members) members[name] = String(members[name])
    })
  },
  { name: "413 for large inputs", foundBy: "REST-INPUT-010", answer: withStatus(400, 413) },
  {
    name: "JSON shown as text",
    foundBy: "REST-INPUT-011",
    body: bodyEdited((members) => {
      if (members["encoding"] === "json") members["encoding"] = "utf8"
    })
  },
  {
    name: "results in the encoding of the inputs",
    foundBy: "REST-INPUT-011",
    body: bodyEdited((members) => {
      if (members["inputEncoding"] === "base64") members["encoding"] = "base64"
    })
  },
  {
    name: "the limit of texts, not of bytes",
    foundBy: "REST-INPUT-012",
    body: bodyEdited((members) => {
      if (typeof members["tallyInputs"] === "string" && members["tallyInputs"].length > 262_144)
        members["tallyInputs"] = "61".repeat(262_145)
    })
  },
  {
    name: "flags of bodies ignored",
    foundBy: "REST-PARAM-002",
    body: bodyEdited((members) => delete members["includeSummary"])
  },
  {
    name: "encoding of bodies ignored",
    foundBy: "REST-PARAM-004",
    body: bodyEdited((members) => delete members["encoding"])
  },
  {
    name: "unknown parameters refused",
    foundBy: "REST-PARAM-006",
    answer: (passing, url) => (url.searchParams.has("somethingNew") ? { ...passing, status: 400 } : passing)
  },
  {
    name: "misspelled names ignored",
    foundBy: "REST-PARAM-008",
    request: (url) => {
      const misspelled = [...url.searchParams.keys()].filter((name) => /^exec_?inputs?(\[\])?$/i.test(name))
      for (const name of misspelled) url.searchParams.delete(name)
    }
  },
  { name: "noPrefetch not looked at", foundBy: "REST-PARAM-003", request: withParameter("noPrefetch", undefined) },
  { name: "includeRecording not looked at", foundBy: "REST-PARAM-003", request: withParameter("includeRecording", undefined) },
  { name: "flags on by any value", foundBy: "REST-PARAM-003", request: withParameter("includeSummary", "true") },
  {
    name: "flags off whatever is sent",
    foundBy: "REST-PARAM-001",
    request: withParameter("includeDebugInfo", undefined)
  },
  { name: "the last of two values wins", foundBy: "REST-PARAM-005", request: withParameter("encoding", "hex") },
  { name: "a 500 for wrong ids", foundBy: "REST-PARAM-007", answer: withStatus(400, 500) },
  {
    name: "hex without 0x",
    foundBy: "REST-SHOW-001",
    answer: editedAt(data, (members) => (members["result"] = String(members["result"]).replace(/^0x/, "")))
  },
  {
    name: "JSON results printed again",
    foundBy: "REST-SHOW-002",
    answer: rewritten((text) => JSON.stringify(JSON.parse(text)))
  },
  { name: "base64 by default", foundBy: "REST-SHOW-003", request: withParameter("encoding", "base64") },
  {
    name: "debug information always",
    foundBy: "REST-SHOW-004",
    request: withParameter("includeDebugInfo", "true")
  },
  {
    name: "no copies beside data",
    foundBy: "REST-SHOW-005",
    answer: edited((json) => {
      for (const name of Object.keys(json)) if (!["_tag", "data"].includes(name)) delete json[name]
    })
  },
  {
    name: "credits as numbers",
    foundBy: "REST-SHOW-006",
    answer: editedAt(["data", "summary", "cost"], (members) => (members["base"] = Number(members["base"])))
  },
  {
    name: "another price than charged",
    foundBy: "REST-SHOW-007",
    answer: editedAt(["data", "summary"], (members) => (members["creditsUsed"] = `${String(members["creditsUsed"])}1`))
  },
  {
    name: "one price for every run",
    foundBy: "REST-SHOW-008",
    answer: editedAt(["data", "summary", "cost"], (members) => (members["gas"] = "7"))
  },
  {
    name: "an uncompressed public key",
    foundBy: "REST-INFO-001",
    answer: edited((json) => (json["publicKey"] = `04${String(json["publicKey"]).repeat(2)}`))
  },
  {
    name: "readiness without its parts",
    foundBy: "REST-READY-001",
    answer: edited((json) => {
      if (json["status"] === "ready") delete json["checks"]
    })
  },
  { name: "health with another text", foundBy: "REST-HEALTH-001", answer: edited((json) => (json["status"] = "ok")) },
  {
    name: "remaining credits as a number",
    foundBy: "REST-VERIFY-001",
    answer: edited((json) => (json["remainingCreditsSnapshot"] = 7))
  },
  {
    name: "held credits left out",
    foundBy: "REST-PROJECT-001",
    answer: editedAt(["credits"], (members) => delete members["held"])
  },
  {
    name: "no allow-list shown",
    foundBy: "REST-PROJECT-002",
    answer: edited((json) => (json["allowedPrograms"] = null))
  },
  {
    name: "a page that loads from elsewhere",
    foundBy: "REST-DOCS-001",
    answer: rewritten((text) => text.replace(/<head>/i, '<head><script src="https://cdn.example/x.js"></script>'))
  },
  {
    name: "599 not documented",
    foundBy: "REST-DOCS-002",
    answer: rewritten((text) => text.replaceAll('"599"', '"598"'))
  },
  { name: "no last result", foundBy: "REST-LAST-001", request: withParameter("returnLastResult", undefined) },
  { name: "no cache header", foundBy: "REST-LAST-001", answer: withoutHeader("x-sibyl-cache") },
  { name: "always from the cache", foundBy: "REST-LAST-002", request: withParameter("returnLastResult", "true") },
  { name: "encoding of the stored run", foundBy: "REST-LAST-003", request: withParameter("encoding", "hex") },
  { name: "age ignored", foundBy: "REST-LAST-004", request: withParameter("returnLastResultMaxAge", undefined) },
  {
    name: "wrong ages ignored",
    foundBy: "REST-LAST-005",
    request: withParameter("returnLastResultMaxAge", undefined)
  },
  { name: "failures remembered", foundBy: "REST-LAST-006", answer: withHeader("x-sibyl-cache", "hit") },
  { name: "another project's cache", foundBy: "REST-LAST-007", answer: withHeader("x-sibyl-cache", "hit") },
  {
    name: "stored without regard to tally inputs",
    foundBy: "REST-LAST-010",
    request: (url) => {
      if (url.searchParams.get("tallyInputs") === "two") url.searchParams.set("tallyInputs", "one")
    }
  },
  {
    name: "stored as it was written",
    foundBy: "REST-LAST-011",
    request: (url) => {
      if (url.searchParams.get("inputEncoding") === "hex") url.searchParams.delete("inputEncoding")
    }
  },
  { name: "injection ignored", foundBy: "REST-LAST-008", request: withParameter("injectLastResult", undefined) },
  {
    name: "injection modes not checked",
    foundBy: "REST-LAST-009",
    request: withParameter("injectLastResult", "none")
  }
]
