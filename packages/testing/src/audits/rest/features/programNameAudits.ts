/** Audits of programs: requested by name, and what a project is told of one. */
import { type Audit, audit } from "../../audit.ts"
import { holds, keysAre, matches, oneOf, same } from "../../check.ts"
import { skippedWithout } from "../../feature.ts"
import { auditPrograms } from "../../programs/auditPrograms.ts"
import { at, drIdOf, execute, executePost, freshInputs, send } from "../call.ts"
import type { Target } from "../target.ts"
import { isError, refusesParameter, succeeds } from "../wireForms.ts"

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
      oneOf("scope", at(entry, "scope"), ["service", "project"])
    ]
  }
)

const programMembers = ["programId", "names", "sizeBytes", "findings", "lastRuns"]
const runMembers = ["id", "drId", "executedAt", "source", "exitCode", "gasUsed", "creditsUsed", "durationMs"]

const shown = audit<Target>(
  "REST-PROGRAM-001",
  "MUST",
  "programs",
  "GET /programs/{program} has the program's size, names and findings, and the newest runs of the project with their gas and price",
  async (target) => {
    const { programs } = target
    const first = await execute(target, "printing", { execInputs: freshInputs() })
    const debug = { includeDebugInfo: "true", includeSummary: "true" }
    const second = await execute(target, "printing", { execInputs: freshInputs(), ...debug })
    const { json, status } = await send(target, { path: `/programs/0x${programs.printing.toUpperCase()}` })
    const lastRuns = at(json, "lastRuns")
    const runs: ReadonlyArray<unknown> = Array.isArray(lastRuns) ? lastRuns : []
    const [newest] = runs
    return [
      same("status", status, 200),
      keysAre("members", json, programMembers),
      same("programId", at(json, "programId"), programs.printing),
      holds("names", Array.isArray(at(json, "names")), at(json, "names")),
      same("sizeBytes", at(json, "sizeBytes"), auditPrograms.printing.length),
      holds("at most ten runs", runs.length >= 2 && runs.length <= 10, runs.length),
      keysAre("members of a run", newest, runMembers),
      same(
        "newest first",
        runs.slice(0, 2).map((run) => at(run, "id")),
        [second, first].map((answer) => at(answer.json, "data", "id"))
      ),
      same("drId", at(newest, "drId"), drIdOf(second)),
      same("gasUsed", at(newest, "gasUsed"), {
        exec: at(second.json, "data", "execute", "gasUsed"),
        tally: at(second.json, "data", "tally", "gasUsed")
      }),
      same("creditsUsed", at(newest, "creditsUsed"), at(second.json, "data", "summary", "creditsUsed"))
    ]
  }
)

const refusedPrograms = audit<Target>(
  "REST-PROGRAM-002",
  "MUST",
  "programs/D7/D15",
  "GET /programs/{program}: 400 for what is neither id nor name, 404 for what is not deployed, 400 for what the project may not run",
  async (target) => {
    const { programs, restrictedKey } = target
    if (restrictedKey === undefined) return { skip: "the target has no key with an allow-list" }
    const ask = (program: string, key = target.apiKey) => send(target, { path: `/programs/${program}`, key })
    const unknown = "ab".repeat(32)
    return [
      ...refusesParameter("no reference", await ask("zz"), "program"),
      ...isError("an unknown id", await ask(unknown), 404, "ProgramNotFound"),
      ...isError("an unknown name", await ask("no-such-program.sibyl"), 404, "ProgramNotFound"),
      ...isError("off the list", await ask(programs.failing, restrictedKey), 400, "ProgramNotAllowed"),
      ...isError("off the list and unknown", await ask(unknown, restrictedKey), 400, "ProgramNotAllowed"),
      same("on the list", (await ask(programs.echo, restrictedKey)).status, 200)
    ]
  }
)

const ownRunsOnly = audit<Target>(
  "REST-PROGRAM-003",
  "MUST",
  "programs",
  "GET /programs/{program} shows the runs of the caller's project, and no other's",
  async (target) => {
    const { otherTenantKey, programs } = target
    if (otherTenantKey === undefined) return { skip: "the target has no key of a second project" }
    const run = await execute(target, "echo", { execInputs: freshInputs() })
    const id = String(at(run.json, "data", "id"))
    const ours = await send(target, { path: `/programs/${programs.echo}` })
    const theirs = await send(target, { path: `/programs/${programs.echo}`, key: otherTenantKey })
    return [
      holds("ours", ours.text.includes(id), ours.text),
      same("theirs: status", theirs.status, 200),
      holds("not theirs", !theirs.text.includes(id), theirs.text)
    ]
  }
)

const keysByName = audit<Target>(
  "REST-KEYS-001",
  "MUST",
  "keys",
  "GET /keys lists the project's valid keys by name and time, and neither a key nor the id of one",
  async (target) => {
    const { apiKeyExpiresAt, apiKeyId } = Object((await send(target, { path: "/verify" })).json)
    const { json, status, text } = await send(target, { path: "/keys" })
    const data = at(json, "data")
    const keys: ReadonlyArray<unknown> = Array.isArray(data) ? data : []
    return [
      same("status", status, 200),
      keysAre("members", json, ["data"]),
      holds("at least the key of the request", keys.length >= 1, keys.length),
      ...keys.flatMap((key, index) => [
        keysAre(`${index}: members`, key, ["name", "createdAt", "expiresAt"]),
        matches(`${index}: createdAt`, at(key, "createdAt"), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/)
      ]),
      holds("the end of the key of the request", keys.map((key) => at(key, "expiresAt")).includes(apiKeyExpiresAt), keys),
      holds("no key", !text.includes(target.apiKey) && !text.includes(target.apiKey.slice(-16)), text),
      holds("no id", typeof apiKeyId === "string" && !text.includes(apiKeyId), text)
    ]
  }
)

/** Programs and their names, and the names of keys. */
export const programNameAudits: ReadonlyArray<Audit<Target>> = [
  meansItsId,
  unknownIsNotFound,
  ...skippedWithout("hasProgramRecords", "the service shows no programs", [listed, shown, refusedPrograms, ownRunsOnly]),
  ...skippedWithout("hasKeyList", "the service does not list keys", [keysByName])
]
