/** The names of a project's keys as `GET /keys` shows them: the project's own, valid ones, and nothing that opens anything. */
import { Clock, Effect, Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { openTestService, type OpenTestService, seamRequest } from "../testdata/testService.ts"

const opened: Array<OpenTestService> = []

const open = async (): Promise<OpenTestService> => {
  const testService = await openTestService()
  opened.push(testService)
  return testService
}

afterEach(() => Promise.all(opened.splice(0).map(({ service }) => service.dispose())))

const ask = async ({ service }: OpenTestService, bearer: string | undefined) => {
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  const response = await service.fetch(seamRequest("GET", "/keys", { headers }))
  const body = String(response?.body)
  return { status: response?.status, body, json: JSON.parse(body) as Record<string, unknown> }
}

describe("GET /keys", () => {
  it("shows the project's valid keys by name, and neither a key nor its id", async () => {
    const testService = await open()
    const { key, keys, project, provisioning } = testService
    const inAnHour = (await Effect.runPromise(Clock.currentTimeMillis)) + 3_600_000
    const issued = await Effect.runPromise(keys.issue(project.projectId, { name: "for the price page", expiresAtMs: inAnHour }))
    const revoked = await Effect.runPromise(keys.issue(project.projectId, { name: "revoked" }))
    await Effect.runPromise(keys.revoke(revoked.apiKeyId))
    await Effect.runPromise(provisioning.createOrganization({ organizationSlug: "another", name: "Another" }))
    const other = await Effect.runPromise(provisioning.createProject({ organizationSlug: "another" }))
    const theirs = await Effect.runPromise(keys.issue(other.projectId, { name: "theirs" }))

    const { body, json, status } = await ask(testService, key)
    expect(status).toBe(200)
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const listed = json["data"] as ReadonlyArray<Record<string, unknown>>
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual({
      name: "for the price page",
      createdAt: moment,
      expiresAt: new Date(inAnHour).toISOString()
    })
    expect(listed).toContainEqual({ name: null, createdAt: moment, expiresAt: null })
    for (const secret of [key, Redacted.value(issued.key), issued.apiKeyId, revoked.apiKeyId]) expect(body).not.toContain(secret)
    expect((await ask(testService, Redacted.value(theirs.key))).json).toEqual({
      data: [{ name: "theirs", createdAt: moment, expiresAt: null }]
    })
  })

  it("takes a valid key: without one, with a revoked one and with a ticket it is refused", async () => {
    const testService = await open()
    const { key, keys, project, service } = testService
    const revoked = await Effect.runPromise(keys.issue(project.projectId, { name: "revoked" }))
    await Effect.runPromise(keys.revoke(revoked.apiKeyId))
    for (const bearer of [undefined, Redacted.value(revoked.key)]) {
      expect(await ask(testService, bearer)).toMatchObject({ status: 401, json: { _tag: "Unauthorized" } })
    }
    const made = await service.fetch(
      seamRequest("POST", "/tickets", {
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ allow: ["read", "execute", "feeds"] })
      })
    )
    const { ticket } = JSON.parse(String(made?.body)) as { readonly ticket: string }
    expect(await ask(testService, ticket)).toMatchObject({ status: 403, json: { _tag: "OutsideTicket" } })
  })
})
