/** Audits of where parameters are and how flags are written (D4 to D7). */
import { type Audit, audit } from "../audit.ts"
import { holds, matches, same } from "../check.ts"
import { type Answer, at, execute, executePost, send } from "./call.ts"
import type { Target } from "./target.ts"
import { refusesParameter, succeeds } from "./wireForms.ts"

const hasDebug = (answer: Answer): boolean => at(answer.json, "data", "execute") !== undefined
const hasSummary = (answer: Answer): boolean => at(answer.json, "data", "summary") !== undefined

/** `GET /execute` of echo with a literal query. */
const getWritten = (target: Target, written: string): Promise<Answer> =>
  send(target, { path: `/execute?execProgramId=${target.programs.echo}&${written}` })

/** `POST /execute` of echo with literal members of the body. */
const postWritten = (target: Target, members: string): Promise<Answer> =>
  send(target, {
    path: "/execute",
    text: `{"execProgramId":"${target.programs.echo}",${members}}`,
    headers: { "content-type": "application/json" }
  })

const readsFlagsInQueries = audit<Target>(
  "REST-PARAM-001",
  "MUST",
  "D4",
  "a flag in a query: true, 1 or no value is on; false, 0 or absent is off; in any letter case",
  async (target) => {
    const on = ["includeDebugInfo=true", "includeDebugInfo=1", "includeDebugInfo", "includeDebugInfo=", "includeDebugInfo=TRUE"]
    const off = ["includeDebugInfo=false", "includeDebugInfo=0", "includeDebugInfo=False", ""]
    const [onAnswers, offAnswers] = await Promise.all([on, off].map((forms) => Promise.all(forms.map((form) => getWritten(target, form)))))
    return [
      ...on.map((form, index) => holds(`${form} is on`, hasDebug(onAnswers?.[index] as Answer))),
      ...off.flatMap((form, index) => [
        ...succeeds(`"${form}"`, offAnswers?.[index] as Answer),
        holds(`"${form}" is off`, !hasDebug(offAnswers?.[index] as Answer))
      ])
    ]
  }
)

const readsFlagsInBodies = audit<Target>(
  "REST-PARAM-002",
  "MUST",
  "D4",
  "a flag in a body: JSON booleans and the same values; null is off",
  async (target) => {
    const on = [true, "true", "1", 1, "", "True"]
    const off = [false, "false", "0", 0, null]
    const post = (value: unknown): Promise<Answer> => executePost(target, "echo", { includeSummary: value })
    const onAnswers = await Promise.all(on.map(post))
    const offAnswers = await Promise.all(off.map(post))
    return [
      ...on.map((value, index) => holds(`${JSON.stringify(value)} is on`, hasSummary(onAnswers[index] as Answer))),
      ...off.flatMap((value, index) => [
        ...succeeds(JSON.stringify(value), offAnswers[index] as Answer),
        holds(`${JSON.stringify(value)} is off`, !hasSummary(offAnswers[index] as Answer))
      ])
    ]
  }
)

const flags = ["returnLastResult", "includeSummary", "includeDebugInfo", "noPrefetch", "includeRecording", "dryRun"] as const

const refusesOtherFlagWords = audit<Target>(
  "REST-PARAM-003",
  "MUST",
  "D4",
  "any other value for a flag is 400, naming the flag",
  async (target) => {
    const checks = flags.flatMap((flag) =>
      ["yes", "on", "2", " true"].map(async (word) =>
        refusesParameter(`${flag}=${word}`, await execute(target, "echo", { [flag]: word }), flag)
      )
    )
    const bodies = flags.map(async (flag) => refusesParameter(`${flag}: {}`, await executePost(target, "echo", { [flag]: {} }), flag))
    return (await Promise.all([...checks, ...bodies])).flat()
  }
)

const readsBothPlaces = audit<Target>(
  "REST-PARAM-004",
  "MUST",
  "D5/D6",
  "POST accepts every parameter in the query and in the body",
  async (target) => {
    const parameters = {
      execProgramId: target.programs.echo,
      execInputs: "AAE=",
      tallyInputs: "Ag==",
      tallyProgramId: target.programs.echo,
      inputEncoding: "base64",
      returnLastResult: "false",
      returnLastResultMaxAge: "0",
      injectLastResult: "none",
      includeSummary: "true",
      includeDebugInfo: "true",
      encoding: "base64"
    }
    const answers = [
      await send(target, { path: "/execute", query: parameters }),
      await send(target, { method: "POST", path: "/execute", query: parameters }),
      await send(target, { path: "/execute", json: parameters })
    ]
    return answers.flatMap((answer, index) => {
      const place = ["GET, query", "POST, query", "POST, body"][index] ?? ""
      return [
        ...succeeds(place, answer),
        same(`${place}: execInputs`, at(answer.json, "data", "dataRequest", "execInputs"), "0001"),
        same(`${place}: result`, at(answer.json, "data", "result"), "Ag=="),
        holds(`${place}: debug information and summary`, hasDebug(answer) && hasSummary(answer))
      ]
    })
  }
)

const refusesContradictions = audit<Target>(
  "REST-PARAM-005",
  "MUST",
  "D5",
  "the same parameter twice with different values is 400, naming it; with equal values it is accepted",
  async (target) => [
    ...refusesParameter("query twice", await getWritten(target, "encoding=hex&encoding=utf8"), "encoding"),
    ...refusesParameter("inputs twice", await getWritten(target, "execInputs=a&execInputs=b"), "execInputs"),
    ...refusesParameter("query and body", await executePost(target, "echo", { encoding: "hex" }, { encoding: "utf8" }), "encoding"),
    ...refusesParameter(
      "inputs in query and body",
      await executePost(target, "echo", { execInputs: "a" }, { execInputs: "b" }),
      "execInputs"
    ),
    ...refusesParameter("body twice", await postWritten(target, '"encoding":"hex","encoding":"utf8"'), "encoding"),
    ...refusesParameter("inside of an input", await postWritten(target, '"execInputs":{"feed":{"id":1,"id":2}}'), "execInputs.feed.id"),
    ...succeeds("body twice, the same", await postWritten(target, '"execInputs":{"a":[1]},"execInputs":{"a": [1]}')),
    ...succeeds("query twice, the same", await getWritten(target, "encoding=hex&encoding=hex")),
    ...succeeds("one flag in three words", await getWritten(target, "includeSummary=true&includeSummary=1&includeSummary")),
    ...refusesParameter("a flag on and off", await getWritten(target, "includeSummary=1&includeSummary=0"), "includeSummary"),
    ...succeeds("query and body, the same", await executePost(target, "echo", { encoding: "hex" }, { encoding: "hex" }))
  ]
)

const ignoresUnknownParameters = audit<Target>(
  "REST-PARAM-006",
  "MUST",
  "D5",
  "unknown parameters are ignored, in queries and in bodies",
  async (target) => [
    ...succeeds("query", await execute(target, "echo", { somethingNew: "1" })),
    ...succeeds("body", await executePost(target, "echo", { somethingNew: { deep: [1] } })),
    ...succeeds("a name of every object", await executePost(target, "echo", { toString: "x", constructor: 1 }))
  ]
)

const refusesMisspelledNames = audit<Target>(
  "REST-PARAM-008",
  "MUST",
  "D5",
  "an almost correct parameter name (letter case, [], a letter or two) is 400 with the correct name, and nothing runs",
  async (target) => {
    const names = ["execinputs", "execInputs[]", "exec_inputs", "execInput"]
    const refuses = (place: string, name: string, answer: Answer) => [
      ...refusesParameter(`${place}: ${name}`, answer, name),
      matches(`${place}: ${name}: the right name`, at(answer.json, "error"), /did you mean execInputs\?/)
    ]
    const checks = names.flatMap((name) => [
      execute(target, "echo", { [name]: "x" }).then((answer) => refuses("query", name, answer)),
      executePost(target, "echo", { [name]: "x" }).then((answer) => refuses("body", name, answer))
    ])
    const query = { drId: "ab".repeat(32), startdate: "2026-01-01" }
    const reports = send(target, { path: "/data-request-reports", query }).then((answer) =>
      refusesParameter("reports: startdate", answer, "startdate")
    )
    return (await Promise.all([...checks, reports])).flat()
  }
)

const refusesWrongIds = audit<Target>(
  "REST-PARAM-007",
  "MUST",
  "D7/D13",
  "execProgramId is required; an id that is not 64 hex characters is 400, naming the parameter",
  async (target) => {
    const { echo } = target.programs
    const wrong = ["", "0x", echo.slice(1), `${echo}0`, `0x0x${echo}`, `g${echo.slice(1)}`, `${echo} `]
    const missing = [
      await send(target, { path: "/execute" }),
      await send(target, { path: "/execute", json: {} }),
      await send(target, { method: "POST", path: "/execute" }),
      await send(target, { path: "/execute", json: { execProgramId: 1 } })
    ]
    const exec = wrong.map(async (execProgramId) =>
      refusesParameter(`execProgramId "${execProgramId}"`, await execute(target, "echo", { execProgramId }), "execProgramId")
    )
    const tally = wrong.map(async (tallyProgramId) =>
      refusesParameter(`tallyProgramId "${tallyProgramId}"`, await executePost(target, "echo", { tallyProgramId }), "tallyProgramId")
    )
    return [
      ...missing.flatMap((answer, index) =>
        refusesParameter(["GET without", "POST without", "POST without a body", "a number"][index] ?? "", answer, "execProgramId")
      ),
      ...(await Promise.all([...exec, ...tally])).flat()
    ]
  }
)

/** Where parameters are and how they are written. */
export const parameterAudits: ReadonlyArray<Audit<Target>> = [
  readsFlagsInQueries,
  readsFlagsInBodies,
  refusesOtherFlagWords,
  readsBothPlaces,
  refusesContradictions,
  ignoresUnknownParameters,
  refusesMisspelledNames,
  refusesWrongIds
]
