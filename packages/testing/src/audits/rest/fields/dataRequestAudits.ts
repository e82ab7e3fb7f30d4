/** Audits of each field of `dataRequest`, wherever a run is shown: in responses, failures, stored results and the history. */
import { type Audit, audit } from "../../audit.ts"
import { type Check, holds, matches, same } from "../../check.ts"
import { at, send } from "../call.ts"
import type { Target } from "../target.ts"
import { decimal } from "../wireForms.ts"
import { type AskedRun, type Showing, showingsOf } from "./recordedRuns.ts"

/** What a field must be; the project's gas limits are those of `GET /project`. */
type Rule = (what: string, value: unknown, run: AskedRun, gasLimits: unknown) => Check

const ofRequest = (id: string, field: string, title: string, rule: Rule): Audit<Target> =>
  audit<Target>(id, "MUST", "interface.md#execute-response", `dataRequest.${field}, wherever a run is shown: ${title}`, async (target) => {
    const gasLimits = at((await send(target, { path: "/project" })).json, "gasLimits")
    const showings = await showingsOf(target)
    return showings.map(({ data, run, where }: Showing) => rule(where, at(data, "dataRequest", field), run, gasLimits))
  })

/** The limit of a phase as `GET /project` shows it. */
const isLimitOf =
  (phase: "exec" | "tally"): Rule =>
  (what, value, _run, gasLimits) =>
    holds(what, typeof value === "string" && decimal.test(value) && value === at(gasLimits, phase), value)

const text: Rule = (what, value) => holds(what, typeof value === "string", value)

/** One audit for each field, in the order of the record. */
export const dataRequestAudits: ReadonlyArray<Audit<Target>> = [
  ofRequest("REST-FIELD-001", "consensusFilter", "hex of whole bytes, without 0x", (what, value) =>
    matches(what, value, /^(?:[0-9a-f]{2})+$/)
  ),
  ofRequest("REST-FIELD-002", "execGasLimit", "a decimal text, the project's limit", isLimitOf("exec")),
  ofRequest("REST-FIELD-003", "execInputs", "the hex of the input's bytes, however it was written", (what, value, run) =>
    same(what, value, run.execInputs)
  ),
  ofRequest("REST-FIELD-004", "execProgramId", "the program's id in lowercase hex without 0x", (what, value, run) =>
    same(what, value, run.execProgramId)
  ),
  ofRequest("REST-FIELD-005", "gasPrice", "a decimal text", (what, value) => matches(what, value, decimal)),
  ofRequest("REST-FIELD-006", "memo", "a text", text),
  ofRequest("REST-FIELD-007", "replicationFactor", "a whole number of 1 or more, not a text", (what, value) =>
    holds(what, Number.isInteger(value) && Number(value) >= 1, value)
  ),
  ofRequest("REST-FIELD-008", "tallyGasLimit", "a decimal text, the project's limit", isLimitOf("tally")),
  ofRequest("REST-FIELD-009", "tallyInputs", "the hex of the input's bytes, empty without one", (what, value, run) =>
    same(what, value, run.tallyInputs)
  ),
  ofRequest(
    "REST-FIELD-010",
    "tallyProgramId",
    "the id of the tally's program, that of the execution's if none was given",
    (what, value, run) => same(what, value, run.tallyProgramId)
  ),
  ofRequest("REST-FIELD-011", "version", "a text with numbers and points", (what, value) => matches(what, value, /^\d+(?:\.\d+)*$/))
]
