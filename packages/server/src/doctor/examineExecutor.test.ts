/** The doctor on an executor's settings, at a real NATS server with a user for each role. */
import { startNats, whyNoNats } from "@sibyl/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Finding } from "./finding.ts"
import { examineExecutor } from "./examineExecutor.ts"
import { isHealthy } from "./reportAnswer.ts"

/** As in docs/SCALING.md, without feeds. */
const configuration = `authorization { users = [
  { user: edge, password: p, permissions: {
    publish: ["sibyl.run.default", "sibyl.run.default.at.*", "sibyl.alive.*"], subscribe: ["sibyl.beat.default", "_INBOX.>"] } }
  { user: executor, password: p, permissions: {
    publish: ["sibyl.beat.default", "_INBOX.>"], subscribe: ["sibyl.run.default", "sibyl.run.default.at.*", "sibyl.alive.*"] } }
] }`

const examined = (settings: Readonly<Record<string, string>>): Effect.Effect<Readonly<Record<string, Finding>>> =>
  Effect.map(examineExecutor({ config: undefined, settings }, []), (found) => Object.fromEntries(found.map((one) => [one.check, one])))

describe("the doctor on an executor's settings", () => {
  it.skipIf(whyNoNats !== undefined)("looks for what an executor needs: no database, no port, and the permissions of its own role", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* startNats({ configuration })
          const settingsOf = (user: string) => ({ "cluster.servers": url, "cluster.user": user, "cluster.password": "p" })
          const well = yield* examined(settingsOf("executor"))
          expect(isHealthy(Object.values(well))).toBe(true)
          expect(Object.keys(well)).toEqual([
            "runtime",
            "configuration",
            "outbound",
            "workers",
            "nats",
            "nats max_payload",
            "nats round trip",
            "nats permissions",
            "open files"
          ])
          expect(well["nats permissions"]).toEqual({ check: "nats permissions", status: "ok", message: "those of an executor" })
          expect((yield* examined(settingsOf("edge")))["nats permissions"]).toEqual({
            check: "nats permissions",
            status: "failed",
            message: expect.stringMatching(
              /^as an executor, this user may not: subscribe to sibyl\.alive\.survey; .*publish to sibyl\.beat\.default/
            )
          })
        })
      )
    )
  )

  it("fails as an executor would not start: with a database, and without a cluster", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const withDatabase = yield* examined({ "cluster.servers": "nats://127.0.0.1:1", database: "postgres://127.0.0.1/d" })
        expect(withDatabase["configuration"]).toMatchObject({
          status: "failed",
          message: expect.stringMatching(/^database must be absent/)
        })
        expect((yield* examined({}))["configuration"]).toMatchObject({
          status: "failed",
          message: expect.stringMatching(/^cluster must be given/)
        })
      })
    ))
})
