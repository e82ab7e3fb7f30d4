/** Audits of programs requested by name. */
import { type Audit, audit } from "../audit.ts"
import { holds, keysAre, matches, same } from "../check.ts"
import { at, drIdOf, execute, executePost, send } from "./call.ts"
import type { Target } from "./target.ts"
import { isError, refusesParameter, succeeds } from "./wireForms.ts"

const noName = "the target has no program name"

const idAndName = (json: unknown): ReadonlyArray<unknown> =>
  ["execProgramId", "execOnsName", "tallyProgramId"].map((name) => at(json, "data", "dataRequest", name))

const meansItsId = audit<Target>(
  "REST-NAME-001",
  "MUST",
  "program names/D22",
  "a name instead of an id gives the same drId as the id; the response has the id, and beside it the name",
  async (target) => {
    const { programName, programs } = target
    if (programName === undefined) return { skip: noName }
    const execInputs = "named"
    const byId = await execute(target, "echo", { execInputs })
    const answers = {
      GET: await execute(target, "echo", { execProgramId: programName, execInputs }),
      POST: await executePost(target, "echo", { execProgramId: programName, execInputs }),
      "a name for both phases": await execute(target, "echo", {
        execProgramId: programName,
        tallyProgramId: programName,
        execInputs
      }),
      "its last result": await send(target, {
        path: "/execute/last-result",
        query: { execProgramId: programName, execInputs }
      })
    }
    return Object.entries(answers).flatMap(([what, answer]) => [
      ...succeeds(what, answer),
      same(`${what}: drId`, drIdOf(answer), drIdOf(byId)),
      same(`${what}: ids and name`, idAndName(answer.json), [programs.echo, programName, programs.echo])
    ])
  }
)

const unknownIsNotFound = audit<Target>(
  "REST-NAME-002",
  "MUST",
  "program names/D15",
  "an unknown name is 404 and is named; a text that is neither id nor name is 400",
  async (target) => {
    const name = "no-such-program.sibyl"
    const unknown = await execute(target, "echo", { execProgramId: name })
    const unknownTally = await execute(target, "echo", { tallyProgramId: name })
    const malformed = await execute(target, "echo", { execProgramId: "no..name" })
    return [
      ...isError("execProgramId", unknown, 404, "ProgramNotFound"),
      same("details", at(unknown.json, "details"), { name }),
      ...isError("tallyProgramId", unknownTally, 404, "ProgramNotFound"),
      ...refusesParameter("no..name", malformed, "execProgramId")
    ]
  }
)

const listed = audit<Target>(
  "REST-NAME-003",
  "MUST",
  "program names",
  "GET /programs lists the names that the project may use, each with its program, its date and its scope",
  async (target) => {
    const { programName, programs } = target
    if (programName === undefined) return { skip: noName }
    const { json, status } = await send(target, { path: "/programs" })
    const names = at(json, "data")
    const entries: ReadonlyArray<unknown> = Array.isArray(names) ? names : []
    const entry = entries.find((each) => at(each, "name") === programName)
    return [
      same("status", status, 200),
      keysAre("members", json, ["data"]),
      keysAre("members of an entry", entry, ["name", "programId", "since", "scope"]),
      same("programId", at(entry, "programId"), programs.echo),
      matches("since", at(entry, "since"), /^\d{4}-\d\d-\d\dT.*Z$/),
      holds("scope", ["service", "project"].includes(String(at(entry, "scope"))), at(entry, "scope"))
    ]
  }
)

/** Program names. */
export const programNameAudits: ReadonlyArray<Audit<Target>> = [meansItsId, unknownIsNotFound, listed]
