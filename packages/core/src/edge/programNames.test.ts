/** Programs requested by name: resolved before anything is hashed, shown by id, never answered from a stale name. */
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { eventually, rpcClient } from "../testdata/rpcClient.ts"
import { openTestService, type OpenTestService, seamRequest, type TestServiceSetup } from "../testdata/testService.ts"

const opened: Array<OpenTestService> = []

const open = async (setup: TestServiceSetup = {}): Promise<OpenTestService> => {
  const testService = await openTestService(setup)
  opened.push(testService)
  return testService
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ service }) => service.dispose()))
})

const name = "v1.evm-vault.mantra"

/** Names a program for the service, or for the test service's project. */
const give = ({ names, project }: OpenTestService, programId: string, of: "service" | "project" = "service", wanted = name) =>
  Effect.runPromise(names.give({ name: wanted, owner: of === "project" ? project.projectId : null, programId }))

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  readonly json: {
    readonly _tag?: string
    readonly details?: unknown
    readonly data: {
      readonly dataRequest: Readonly<Record<string, unknown>>
      readonly dataResult: { readonly drId: string }
    }
  }
}

const ask = async (testService: OpenTestService, path: string, body?: object, more: Readonly<Record<string, string>> = {}) => {
  const headers = { authorization: `Bearer ${testService.key}`, ...more }
  const response = await testService.service.fetch(
    body === undefined ? seamRequest("GET", path, { headers }) : seamRequest("POST", path, { headers, body: JSON.stringify(body) })
  )
  if (response === undefined) throw new Error("no answer")
  const text = String(response.body)
  const answer: Answer = { status: response.status, text, headers: response.headers, json: JSON.parse(text) as Answer["json"] }
  return answer
}

const idsOf = ({ json }: Answer): ReadonlyArray<unknown> => [
  json.data.dataRequest["execProgramId"],
  json.data.dataRequest["execOnsName"],
  json.data.dataRequest["tallyProgramId"]
]

describe("a name instead of an id", () => {
  it("gives the same drId as the id, in query, in body and for the tally; the answer shows id and name", async () => {
    const testService = await open()
    await give(testService, testService.execProgramId)
    await give(testService, testService.tallyProgramId, "service", "v1.tally.mantra")
    const byId = await ask(testService, `/execute?execProgramId=${testService.execProgramId}&tallyProgramId=${testService.tallyProgramId}`)
    const both = { execProgramId: name, tallyProgramId: "v1.tally.mantra" }
    const answers = [
      await ask(testService, `/execute?${new URLSearchParams(both)}`),
      await ask(testService, "/execute", both),
      await ask(testService, `/execute?execProgramId=${name}`, { tallyProgramId: testService.tallyProgramId })
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(idsOf(answer)).toEqual([testService.execProgramId, name, testService.tallyProgramId])
      expect(answer.json.data.dataResult.drId).toBe(byId.json.data.dataResult.drId)
    }
    expect(Object.keys(byId.json.data.dataRequest)).not.toContain("execOnsName")
    const members = Object.keys(answers[0]?.json.data.dataRequest ?? {})
    expect(members.slice(members.indexOf("execProgramId"))[1]).toBe("execOnsName")
    expect(testService.requests.every(({ programId }) => [testService.execProgramId, testService.tallyProgramId].includes(programId))).toBe(
      true
    )
  })

  it("finds the last results and reports of the id, and quotes it", async () => {
    const testService = await open()
    await give(testService, testService.execProgramId)
    const ran = await ask(testService, `/execute?execProgramId=${testService.execProgramId}`)
    const { drId } = ran.json.data.dataResult
    const stored = await ask(testService, `/execute/last-result?execProgramId=${name}`)
    expect([stored.status, ...idsOf(stored)]).toEqual([200, testService.execProgramId, name, testService.execProgramId])
    const remembered = await ask(testService, "/execute/last-result", { execProgramId: name })
    expect(remembered.json.data.dataResult.drId).toBe(drId)
    const quoted = await ask(testService, `/execute?execProgramId=${name}&dryRun`)
    expect([quoted.status, quoted.text.includes(drId)]).toEqual([200, true])
    await ask(testService, `/execute?execProgramId=${name}`)
    const reports = await ask(testService, `/data-request-reports?drId=${drId}`)
    expect(reports.json.data).toHaveLength(2)
    expect(reports.text).not.toContain(name)
  })

  it("is 404 with its name if it does not exist; a text without a dot is not a name", async () => {
    const testService = await open()
    for (const path of ["/execute?", "/execute/last-result?", "/execute?dryRun&"]) {
      const unknown = await ask(testService, `${path}execProgramId=${name}`)
      expect([unknown.status, unknown.json._tag, unknown.json.details]).toEqual([404, "ProgramNotFound", { name }])
    }
    const tally = await ask(testService, `/execute?execProgramId=${testService.execProgramId}&tallyProgramId=${name}`)
    expect([tally.status, tally.json.details]).toEqual([404, { name }])
    for (const wrong of ["prices", "V1.prices", testService.execProgramId.slice(1), "v1..prices"]) {
      expect([wrong, (await ask(testService, `/execute?execProgramId=${wrong}`)).status]).toEqual([wrong, 400])
    }
    expect(testService.ledgerCalls).toEqual([])
  })

  it("of the project takes precedence over the service's, and allow-lists apply to its program", async () => {
    const testService = await open()
    await give(testService, testService.execProgramId)
    await give(testService, testService.tallyProgramId, "project")
    expect(idsOf(await ask(testService, `/execute?execProgramId=${name}`))[0]).toBe(testService.tallyProgramId)
    const { projectId } = testService.project
    await Effect.runPromise(testService.provisioning.updateProject(projectId, { allowedPrograms: [testService.execProgramId] }))
    const refused = await ask(testService, `/execute?execProgramId=${name}`)
    expect([refused.status, refused.json._tag]).toEqual([400, "ProgramNotAllowed"])
    expect(refused.json.details).toEqual({ programId: testService.tallyProgramId })
    await Effect.runPromise(testService.names.take(projectId, name))
    expect((await ask(testService, `/execute?execProgramId=${name}`)).status).toBe(200)
  })

  it("resolves to another program from the next request on, also if an answer was cached", async () => {
    const testService = await open()
    await give(testService, testService.execProgramId)
    const cached = `/execute?execProgramId=${name}&returnLastResult=true`
    await ask(testService, `/execute?execProgramId=${name}`)
    const first = await ask(testService, cached)
    const again = await ask(testService, cached)
    expect([first.headers["x-sibyl-cache"], again.text]).toEqual(["hit", first.text])
    await give(testService, testService.tallyProgramId)
    const renamed = await ask(testService, cached)
    expect([idsOf(renamed)[0], renamed.headers["x-sibyl-cache"]]).toEqual([testService.tallyProgramId, undefined])
    await Effect.runPromise(testService.names.take(null, name))
    expect((await ask(testService, cached)).status).toBe(404)
  })

  it("is what an idempotency key stores: a retry after a change gets the first answer", async () => {
    const testService = await open()
    await give(testService, testService.execProgramId)
    const retry = { "idempotency-key": "one" }
    const first = await ask(testService, "/execute", { execProgramId: name }, retry)
    await give(testService, testService.tallyProgramId)
    const second = await ask(testService, "/execute", { execProgramId: name }, retry)
    expect([second.status, second.text, second.headers["idempotency-replayed"]]).toEqual([200, first.text, "true"])
  })
})

describe("a name over WebSocket", () => {
  it("runs once, and in a feed follows a change with the next run", async () => {
    const testService = await open()
    await give(testService, testService.execProgramId)
    const client = await rpcClient(testService.service, testService.key)
    expect(await client.ask("feed.execute", { execProgramId: name })).toMatchObject({
      result: { data: { dataRequest: { execProgramId: testService.execProgramId, execOnsName: name } } }
    })
    const unknown = await client.ask("feed.start", { mode: "FIXED", periodicityMs: 10, execute: { execProgramId: "no.such" } })
    expect(unknown).toMatchObject({ error: { _tag: "ProgramNotFound", code: 36004, details: { name: "no.such" } } })
    await client.ask("feed.start", { mode: "FIXED", periodicityMs: 10, execute: { execProgramId: name } })
    const ran = (programId: string) => () =>
      client
        .said()
        .find(
          ({ method, params }) => method === "feed.result" && JSON.stringify(params?.result)?.includes(`"execProgramId":"${programId}"`)
        )
    await eventually(ran(testService.execProgramId), "a run of the first program")
    await give(testService, testService.tallyProgramId)
    await eventually(ran(testService.tallyProgramId), "a run of the second program")
    await Effect.runPromise(testService.names.take(null, name))
    const failed = await eventually(
      () => client.said().find(({ params }) => params?.error?._tag === "ProgramNotFound"),
      "a run without a program"
    )
    expect(failed.params?.error).toMatchObject({ code: 36004 })
  })
})

describe("GET /programs", () => {
  it("lists the names that the project may use, each with its program and since when", async () => {
    const testService = await open()
    expect((await ask(testService, "/programs")).json).toEqual({ data: [] })
    await give(testService, testService.execProgramId, "service", "b.x")
    await give(testService, testService.tallyProgramId, "service", "a.x")
    await give(testService, testService.execProgramId, "project", "a.x")
    const { json, status } = await ask(testService, "/programs")
    expect(status).toBe(200)
    expect(json).toEqual({
      data: [
        { name: "a.x", programId: testService.execProgramId, since: expect.stringMatching(/^20.*Z$/) as string, scope: "project" },
        { name: "b.x", programId: testService.execProgramId, since: expect.stringMatching(/^20.*Z$/) as string, scope: "service" }
      ]
    })
    const { projectId } = testService.project
    await Effect.runPromise(testService.provisioning.updateProject(projectId, { allowedPrograms: [testService.tallyProgramId] }))
    expect((await ask(testService, "/programs")).json).toEqual({ data: [] })
  })
})
