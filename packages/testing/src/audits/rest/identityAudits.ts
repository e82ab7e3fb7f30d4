/** Audits of what identifies an execution: its drId, its time, its signature (D5, D7, D22). */
import { type Audit, audit } from "../audit.ts"
import { holds, matches, same } from "../check.ts"
import { type Answer, at, drIdOf, execute, executePost, freshInputs, send } from "./call.ts"
import { wholeAt } from "./memberAt.ts"
import type { Target } from "./target.ts"
import { derivedDrId, derivedResultId, recoveredKey, signatureHolds } from "./verification.ts"
import { succeeds } from "./wireForms.ts"

const datesInMilliseconds = audit<Target>(
  "REST-EXEC-004",
  "MUST",
  "D22",
  "blockTimestamp is in milliseconds and strictly increases for one drId; each run has its own id",
  async (target) => {
    const answers: Array<Answer> = []
    for (let round = 0; round < 3; round += 1) answers.push(await execute(target, "echo", { execInputs: "again" }))
    const stamps = answers.map((answer) => wholeAt(answer.json, "data", "dataResult", "blockTimestamp"))
    const increases = stamps.every((stamp, index) => index === 0 || stamp > (stamps[index - 1] ?? stamp))
    return [
      holds(
        "thirteen digits, as milliseconds have from 2001 to 2286",
        stamps.every((stamp) => String(stamp).length === 13),
        stamps.map(String)
      ),
      holds("strictly increasing", increases, stamps.map(String)),
      same("one drId", new Set(answers.map(drIdOf)).size, 1),
      same("three ids", new Set(answers.map((answer) => at(answer.json, "data", "id"))).size, 3)
    ]
  }
)

const sameByGetAndPost = audit<Target>(
  "REST-EXEC-006",
  "MUST",
  "interface.md#post-execute/D5",
  "GET and POST of one request give one drId and one dataRequest",
  async (target) => {
    const inputs = { execInputs: "0x00ff", tallyInputs: "text", inputEncoding: "auto" }
    const got = await execute(target, "echo", inputs)
    const posted = await executePost(target, "echo", inputs)
    const postedByQuery = await send(target, {
      method: "POST",
      path: "/execute",
      query: { execProgramId: target.programs.echo, ...inputs }
    })
    return [got, posted, postedByQuery].flatMap((answer, index) => [
      ...succeeds(["GET", "POST with a body", "POST with a query"][index] ?? "", answer),
      same("drId", drIdOf(answer), drIdOf(got)),
      same("dataRequest", at(answer.json, "data", "dataRequest"), at(got.json, "data", "dataRequest"))
    ])
  }
)

const readsProgramIds = audit<Target>(
  "REST-EXEC-009",
  "MUST",
  "D7",
  "program ids are accepted with or without 0x in any letter case, and returned in lowercase without it",
  async (target) => {
    const { echo } = target.programs
    const forms = [`0x${echo}`, echo.toUpperCase(), `0x${echo.toUpperCase()}`]
    const plain = await execute(target, "echo")
    const answers = await Promise.all(forms.map((form) => execute(target, "echo", { execProgramId: form, tallyProgramId: form })))
    return answers.flatMap((answer, index) => [
      ...succeeds(`${forms[index]}`, answer),
      same("execProgramId", at(answer.json, "data", "dataRequest", "execProgramId"), echo),
      same("tallyProgramId", at(answer.json, "data", "dataRequest", "tallyProgramId"), echo),
      same("drId", drIdOf(answer), drIdOf(plain))
    ])
  }
)

const signsResults = audit<Target>(
  "REST-EXEC-011",
  "MUST",
  "interface.md#execute-response/D22",
  "drId, result id and signature verify from the printed fields, for successes and failures, with the key of GET /info",
  async (target) => {
    const { json: info } = await send(target, { path: "/info", key: null })
    const publicKey = String(at(info, "publicKey"))
    const answers = [
      await execute(target, "echo", { execInputs: freshInputs(), tallyInputs: "0x01" }),
      await execute(target, "failing"),
      await execute(target, "failingInTally"),
      await execute(target, "exitingOutOfRange"),
      await execute(target, "trapping")
    ]
    return answers.flatMap((answer) => {
      const signature = String(at(answer.json, "data", "signature"))
      const dataResult = at(answer.json, "data", "dataResult")
      const digest = derivedResultId(dataResult)
      return [
        same("drId", at(dataResult, "drId"), derivedDrId(at(answer.json, "data", "dataRequest"))),
        matches("signature", signature, /^[0-9a-f]{130}$/),
        holds("the signature holds, with a low s and v of 0 or 1", signatureHolds(signature, digest, publicKey), signature),
        same("the key it recovers to", recoveredKey(signature, digest), publicKey)
      ]
    })
  }
)

/** What identifies an execution. */
export const identityAudits: ReadonlyArray<Audit<Target>> = [datesInMilliseconds, sameByGetAndPost, readsProgramIds, signsResults]
