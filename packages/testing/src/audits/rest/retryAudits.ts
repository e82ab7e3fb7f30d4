/** Audits of the Idempotency-Key: one run, one charge and one response for all repetitions of a request (D34). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, matches, same } from "../check.ts"
import { type Answer, at, freshInputs, send } from "./call.ts"
import { wholeAt } from "./memberAt.ts"
import type { Target } from "./target.ts"
import { isError, refusesParameter, succeeds, uuid } from "./wireForms.ts"

const freshKey = (): string => `audit-${globalThis.crypto.randomUUID()}`

/** `POST /execute` of one of the kit's programs with an idempotency key. */
const postOnce = (
  target: Target,
  idempotencyKey: string,
  body: Readonly<Record<string, unknown>> = {},
  program: keyof Target["programs"] = "echo",
  key?: string
): Promise<Answer> =>
  send(target, {
    path: "/execute",
    json: { execProgramId: target.programs[program], ...body },
    headers: { "idempotency-key": idempotencyKey },
    ...(key === undefined ? {} : { key })
  })

const usedCredits = async (target: Target): Promise<string> =>
  String(wholeAt((await send(target, { path: "/verify" })).json, "usedCreditsSnapshot"))

const replay = (answer: Answer): string | null => answer.header("idempotency-replayed")

/** Checks that the second response is the first one, replayed. */
const isReplay = (what: string, again: Answer, first: Answer): ReadonlyArray<Check> => [
  same(`${what}: status`, again.status, first.status),
  same(`${what}: body`, again.text, first.text),
  same(`${what}: idempotency-replayed`, replay(again), "true"),
  matches(`${what}: x-request-id`, again.header("x-request-id"), uuid),
  holds(`${what}: an x-request-id of its own`, again.header("x-request-id") !== first.header("x-request-id"))
]

/** Checks that the response is not a replay. */
const isFirst = (what: string, answer: Answer): Check => same(`${what}: idempotency-replayed`, replay(answer), null)

const replaysTheAnswer = audit<Target>(
  "REST-RETRY-001",
  "MUST",
  "D34",
  "the same request with the same key gets the same response, marked as replayed, however it is written, and is charged once",
  async (target) => {
    const key = freshKey()
    const first = await postOnce(target, key, { execInputs: "0x6f6e6365", includeSummary: true })
    const used = await usedCredits(target)
    const again = await postOnce(target, key, { execInputs: "0x6f6e6365", includeSummary: true })
    const otherwise = await postOnce(target, key, { execInputs: "once", includeSummary: "1", encoding: "hex" })
    return [
      ...succeeds("first", first),
      isFirst("first", first),
      ...isReplay("again", again, first),
      ...isReplay("written in another way", otherwise, first),
      same("used credits", await usedCredits(target), used)
    ]
  }
)

const replaysFailures = audit<Target>(
  "REST-RETRY-002",
  "MUST",
  "D34",
  "a failed execution is kept too: 599 with the same body, charged once",
  async (target) => {
    const key = freshKey()
    const first = await postOnce(target, key, {}, "failing")
    const used = await usedCredits(target)
    const again = await postOnce(target, key, {}, "failing")
    return [
      same("first: status", first.status, 599),
      ...isReplay("again", again, first),
      same("used credits", await usedCredits(target), used)
    ]
  }
)

const refusesOtherRequests = audit<Target>(
  "REST-RETRY-003",
  "MUST",
  "D34",
  "the same key with another request is 422 IdempotencyKeyReused, and nothing runs",
  async (target) => {
    const key = freshKey()
    const first = await postOnce(target, key, { execInputs: "a" })
    const used = await usedCredits(target)
    const others = [{ execInputs: "b" }, { execInputs: "a", includeDebugInfo: true }, { execInputs: "a", encoding: "utf8" }]
    const checks: Array<Check> = [...succeeds("first", first)]
    for (const other of others) {
      checks.push(...isError(JSON.stringify(other), await postOnce(target, key, other), 422, "IdempotencyKeyReused"))
    }
    return [...checks, same("used credits", await usedCredits(target), used)]
  }
)

const refusesWrongKeys = audit<Target>(
  "REST-RETRY-004",
  "MUST",
  "D34",
  "a key has 1 to 255 visible ASCII characters; any other is 400, naming the header",
  async (target) => {
    const longest = `${"~!".repeat(100)}${freshKey()}`.padEnd(255, "x")
    return [
      ...refusesParameter("a space", await postOnce(target, "a b"), "Idempotency-Key"),
      ...refusesParameter("256 characters", await postOnce(target, `${longest}x`), "Idempotency-Key"),
      ...refusesParameter("a letter beyond ASCII", await postOnce(target, "clé"), "Idempotency-Key"),
      ...succeeds("255 characters", await postOnce(target, longest))
    ]
  }
)

const atOnce = 100

const runsOnceForMany = audit<Target>(
  "REST-RETRY-005",
  "MUST",
  "D34",
  "100 concurrent requests with one key are one run, one charge and 100 equal responses",
  async (target) => {
    const key = freshKey()
    const before = BigInt(await usedCredits(target))
    const asked = Array.from({ length: atOnce }, () => postOnce(target, key, { includeSummary: true }))
    const answers = await Promise.all(asked)
    const used = BigInt(await usedCredits(target)) - before
    const [first] = answers
    return [
      same("status", [...new Set(answers.map(({ status }) => status))], [200]),
      same("different bodies", new Set(answers.map(({ text }) => text)).size, 1),
      same("replayed responses", answers.filter((answer) => replay(answer) === "true").length, atOnce - 1),
      same("credits used by all of them", String(used), at(first?.json, "data", "summary", "creditsUsed"))
    ]
  }
)

const keepsNoRefusals = audit<Target>(
  "REST-RETRY-006",
  "MUST",
  "D34",
  "a refusal is not kept: the request is evaluated again, and the key stays free for another request",
  async (target) => {
    if (target.keyWithoutCredits === undefined) return { skip: "the target has no key without credits" }
    const key = freshKey()
    const refused = [
      await postOnce(target, key, {}, "echo", target.keyWithoutCredits),
      await postOnce(target, key, {}, "echo", target.keyWithoutCredits),
      await postOnce(target, key, { execInputs: "another" }, "echo", target.keyWithoutCredits)
    ]
    return refused.flatMap((answer, index) => [
      ...isError(`refusal ${index}`, answer, 403, "InsufficientCredits"),
      isFirst(`refusal ${index}`, answer)
    ])
  }
)

const separatesProjects = audit<Target>("REST-RETRY-007", "MUST", "D34/D21", "a key is separate for each project", async (target) => {
  if (target.otherTenantKey === undefined) return { skip: "the target has no key of another project" }
  const [key, execInputs] = [freshKey(), freshInputs()]
  const mine = await postOnce(target, key, { execInputs })
  const theirs = await postOnce(target, key, { execInputs }, "echo", target.otherTenantKey)
  return [
    ...succeeds("mine", mine),
    ...succeeds("theirs", theirs),
    isFirst("theirs", theirs),
    holds("a run of their own", at(theirs.json, "data", "id") !== at(mine.json, "data", "id"))
  ]
})

const ignoresItElsewhere = audit<Target>("REST-RETRY-008", "MUST", "D34", "GET and dry runs ignore a key", async (target) => {
  const key = freshKey()
  const get = (execInputs: string): Promise<Answer> =>
    send(target, {
      path: "/execute",
      query: { execProgramId: target.programs.echo, execInputs },
      headers: { "idempotency-key": key }
    })
  const answers = [await get("a"), await get("a"), await get("b")]
  const dry = [await postOnce(target, key, { dryRun: true }), await postOnce(target, key, { dryRun: true, execInputs: "b" })]
  const first = await postOnce(target, key)
  return [
    ...answers.flatMap((answer, index) => [...succeeds(`GET ${index}`, answer), isFirst(`GET ${index}`, answer)]),
    same("ids", new Set(answers.map(({ json }) => at(json, "data", "id"))).size, answers.length),
    ...dry.map((answer, index) => same(`dry run ${index}: status`, answer.status, 200)),
    ...succeeds("the first POST", first),
    isFirst("the first POST", first)
  ]
})

/** One run for all repetitions of a request. */
export const retryAudits: ReadonlyArray<Audit<Target>> = [
  replaysTheAnswer,
  replaysFailures,
  refusesOtherRequests,
  refusesWrongKeys,
  runsOnceForMany,
  keepsNoRefusals,
  separatesProjects,
  ignoresItElsewhere
]
