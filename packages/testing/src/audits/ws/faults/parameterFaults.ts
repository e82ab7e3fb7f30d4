/** Faults in how a service reads parameters over its WebSockets, each with the audit that must detect it. */
import { editingAt, type Members, perRequest, type WsFault } from "./wsFault.ts"

/** A service that does not look at a parameter of executions, in feeds neither. */
const ignoring = (parameter: string, foundBy: string): WsFault =>
  perRequest(`${parameter} is not looked at`, foundBy, (params) => {
    for (const place of [params, params["execute"]]) if (typeof place === "object" && place !== null) delete (place as Members)[parameter]
  })

const withoutPath = (details: Members): void => {
  details["parameter"] = String(details["parameter"]).replace(/^execute\./, "")
}

/** The faults. */
export const parameterFaults: ReadonlyArray<WsFault> = [
  editingAt("errors that name no parameter", "WS-PARAM-001", ["error", "details"], (details) => (details["parameter"] = "params")),
  editingAt("unknown programs as wrong ids", "WS-PARAM-001", ["error"], (error) => {
    if (error["code"] === 36004) error["code"] = 32602
  }),
  editingAt(
    "text results without a prefix",
    "WS-PARAM-002",
    ["result", "data"],
    (data) => (data["result"] = String(data["result"]).slice(2))
  ),
  perRequest("inputs in the engine's order of keys", "WS-PARAM-002", (params) => {
    const inputs = params["execInputs"]
    if (typeof inputs === "object" && inputs !== null) params["execInputs"] = JSON.stringify(inputs, Object.keys(inputs).toSorted())
  }),
  ignoring("tallyProgramId", "WS-PARAM-003"),
  ignoring("tallyInputs", "WS-PARAM-004"),
  ignoring("inputEncoding", "WS-PARAM-005"),
  ignoring("injectLastResult", "WS-PARAM-006"),
  ignoring("returnLastResultMaxAge", "WS-PARAM-006"),
  ignoring("includeDebugInfo", "WS-PARAM-007"),
  ignoring("encoding", "WS-PARAM-008"),
  ignoring("execinputs", "WS-PARAM-009"),
  editingAt("errors of feeds without a path", "WS-PARAM-010", ["error", "details"], withoutPath),
  perRequest("periods are rounded", "WS-PARAM-011", (params) => {
    if (typeof params["periodicityMs"] === "number") params["periodicityMs"] = Math.round(params["periodicityMs"])
  }),
  perRequest("no period of a day", "WS-PARAM-011", (params) => {
    if (params["periodicityMs"] === 86_400_000) params["periodicityMs"] = 86_400_001
  }),
  perRequest("modes in any letter case", "WS-PARAM-012", (params) => {
    if (typeof params["mode"] === "string") params["mode"] = params["mode"].toUpperCase()
  }),
  perRequest("PARALLEL is unknown", "WS-PARAM-012", (params) => {
    if (params["mode"] === "PARALLEL") params["mode"] = "parallel"
  }),
  perRequest("any value is an id", "WS-PARAM-013", (params) => {
    if (typeof params["feedId"] === "number") params["feedId"] = `${params["feedId"]}`
  })
]
