/** Audits of each field of `dataResult`, wherever a run is shown: in responses, failures, stored results and the history. */
import { type Audit, audit } from "../../audit.ts"
import { type Check, holds, matches, same } from "../../check.ts"
import { at } from "../call.ts"
import type { Target } from "../target.ts"
import { derivedDrId } from "../verification.ts"
import { decimal, id64 } from "../wireForms.ts"
import { type Showing, showingsOf } from "./recordedRuns.ts"

/** What a field must be in one showing of a run. */
type Rule = (what: string, value: unknown, showing: Showing) => Check

const ofResult = (id: string, field: string, title: string, rule: Rule): Audit<Target> =>
  audit<Target>(id, "MUST", "interface.md#execute-response", `dataResult.${field}, wherever a run is shown: ${title}`, async (target) => {
    const showings = await showingsOf(target)
    return showings.map((showing) => rule(showing.where, at(showing.data, "dataResult", field), showing))
  })

const text: Rule = (what, value) => holds(what, typeof value === "string", value)

const valueOf = (value: unknown): bigint => (typeof value === "string" && decimal.test(value) ? BigInt(value) : -1n)

const paidGas: Rule = (what, value, { data }) => {
  const most = valueOf(at(data, "dataRequest", "execGasLimit")) + valueOf(at(data, "dataRequest", "tallyGasLimit"))
  return holds(what, valueOf(value) > 0n && valueOf(value) <= most, value)
}

/** Whether the responses of the different runs come as success or failure like their exit codes. */
const toldByStatus: Rule = (what, value, { answer, run, where }) => {
  const isHistory = where.endsWith("history")
  const isTold = isHistory || (answer.status === 599) === (value !== 0)
  return holds(what, value === run.exitCode && isTold, [value, answer.status])
}

const dayMs = 86_400_000

/** Clocks of client and service may differ, but not by the factor between units. */
const isRecentMs: Rule = (what, value) =>
  holds(what, typeof value === "string" && decimal.test(value) && Math.abs(Number(value) - Date.now()) < dayMs, value)

/** One audit for each field, in the order of the record. */
export const dataResultAudits: ReadonlyArray<Audit<Target>> = [
  ofResult("REST-FIELD-012", "drId", "64 hex characters, the hash of the dataRequest beside it", (what, value, { data }) =>
    same(what, id64.test(String(value)) ? value : undefined, derivedDrId(at(data, "dataRequest")))
  ),
  ofResult("REST-FIELD-013", "gasUsed", "a decimal text, above 0 and within the limits of both phases", paidGas),
  ofResult("REST-FIELD-014", "blockHeight", "a decimal text", (what, value) => matches(what, value, decimal)),
  ofResult("REST-FIELD-015", "blockTimestamp", "a decimal text, milliseconds of the run", isRecentMs),
  ofResult("REST-FIELD-016", "consensus", "a boolean, true for one executor, whatever its exit code", (what, value) =>
    same(what, value, true)
  ),
  ofResult("REST-FIELD-017", "exitCode", "a whole number: 0 with 200, the program's with 599", toldByStatus),
  ofResult("REST-FIELD-018", "version", "a text, the version of the dataRequest beside it", (what, value, { data }) =>
    holds(what, typeof value === "string" && value === at(data, "dataRequest", "version"), value)
  ),
  ofResult("REST-FIELD-019", "result", "the hex of the program's bytes, without 0x, also of a failed program", (what, value, { run }) =>
    run.what === "two programs" ? matches(what, value, /^(?:[0-9a-f]{2})+$/) : same(what, value, run.result)
  ),
  ofResult("REST-FIELD-020", "paybackAddress", "a text, which may be empty", text),
  ofResult("REST-FIELD-021", "servicePayload", "a text, which may be empty", text)
]
