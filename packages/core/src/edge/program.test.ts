/** One program as `GET /programs/{program}` shows it: by id and by name, to whom it may be shown, with the project's own runs of it. */
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { outcome } from "../testdata/scriptedRuntime.ts"
import { openTestService, type OpenTestService, seamRequest, type TestServiceSetup } from "../testdata/testService.ts"

const opened: Array<OpenTestService> = []

const open = async (setup: TestServiceSetup = {}): Promise<OpenTestService> => {
  const testService = await openTestService(setup)
  opened.push(testService)
  return testService
}

afterEach(() => Promise.all(opened.splice(0).map(({ service }) => service.dispose())))

const ask = async ({ key, service }: OpenTestService, path: string, withKey = key) => {
  const response = await service.fetch(seamRequest("GET", path, { headers: { authorization: `Bearer ${withKey}` } }))
  return { status: response?.status, json: JSON.parse(String(response?.body)) as Record<string, unknown> }
}

describe("GET /programs/{program}", () => {
  it("shows names, size, findings, and the last runs with their gas, newest first", async () => {
    const script: TestServiceSetup["script"] = ({ args, phase }) =>
      Effect.succeed(outcome({ gasUsed: phase === "exec" ? 7n : 3n, exitCode: phase === "exec" && args.includes("03") ? 3 : 0 }))
    const testService = await open({ script })
    const { execProgramId, names, tallyProgramId } = testService
    await Effect.runPromise(names.give({ name: "v1.prices.acme", owner: null, programId: execProgramId }))
    expect((await ask(testService, `/programs/${execProgramId}`)).json).toEqual({
      programId: execProgramId,
      names: ["v1.prices.acme"],
      sizeBytes: expect.any(Number),
      // The scripted machine cannot tell.
      findings: null,
      lastRuns: []
    })
    const ran: Array<unknown> = []
    for (let n = 0; n < 12; n++) {
      const { json } = await ask(
        testService,
        `/execute?execProgramId=${execProgramId}&tallyProgramId=${tallyProgramId}&execInputs=0x0${n % 4}`
      )
      ran.unshift((json["data"] as { readonly id: string }).id)
    }
    const { json, status } = await ask(testService, "/programs/v1.prices.acme")
    const runs = json["lastRuns"] as ReadonlyArray<Record<string, unknown>>
    expect([status, runs.map(({ id }) => id)]).toEqual([200, ran.slice(0, 10)])
    expect(runs[0]).toMatchObject({ source: "rest", exitCode: 3, gasUsed: { exec: "7", tally: "0" } })
    expect(runs[1]).toMatchObject({ source: "rest", exitCode: 0, gasUsed: { exec: "7", tally: "3" } })
    // It ran in the tally phase, too.
    expect((await ask(testService, `/programs/0x${tallyProgramId.toUpperCase()}`)).json["lastRuns"]).toHaveLength(10)
  })

  it("refuses what is no reference, what is not deployed, and what the project or the ticket may not run", async () => {
    const testService = await open()
    const { execProgramId, project, provisioning, tallyProgramId } = testService
    expect(await ask(testService, "/programs/abc")).toMatchObject({
      status: 400,
      json: { _tag: "InvalidParameter", details: { parameter: "program" } }
    })
    expect(await ask(testService, `/programs/${"0".repeat(64)}`)).toMatchObject({ status: 404, json: { _tag: "ProgramNotFound" } })
    expect(await ask(testService, "/programs/no.such-name")).toMatchObject({ status: 404, json: { _tag: "ProgramNotFound" } })
    const made = await testService.service.fetch(
      seamRequest("POST", "/tickets", {
        headers: { authorization: `Bearer ${testService.key}` },
        body: JSON.stringify({ allow: ["read"], programs: [tallyProgramId], maxUses: 5 })
      })
    )
    const { ticket } = JSON.parse(String(made?.body)) as { readonly ticket: string }
    expect(await ask(testService, `/programs/${execProgramId}`, ticket)).toMatchObject({ status: 403, json: { _tag: "OutsideTicket" } })
    expect(await ask(testService, `/programs/${tallyProgramId}`, ticket)).toMatchObject({ status: 200 })
    await Effect.runPromise(provisioning.updateProject(project.projectId, { allowedPrograms: [tallyProgramId] }))
    expect(await ask(testService, `/programs/${execProgramId}`)).toMatchObject({ status: 400, json: { _tag: "ProgramNotAllowed" } })
  })
})
