/** The audits against `sibyl cluster`: its server keeps every rule while other processes run the programs. */
import { afterAll, beforeAll, test } from "vitest"
import { ownRuntime } from "../crash/testdata/site.ts"
import { expectAuditsPassed, pingIntervalMs } from "../testdata/operatedAudits.ts"
import { OperatedServer } from "../testdata/operatedServer.ts"
import { describeNats } from "./testdata/describeNats.ts"

/** Those in which programs run; all of REST's run every day in `packages/cluster`, and a soak runs all here. */
const everyday = /^(?:REST-EXEC-00[1-9]|WS-(?:EXEC|FEED|SHARE)-\d+)$/

describeNats("the audits of a cluster", () => {
  let server: OperatedServer

  beforeAll(async () => {
    const limits = ["--set", `limits.pingIntervalMs=${pingIntervalMs}`, "--set", "limits.httpPrefetches=0"]
    server = await OperatedServer.start(ownRuntime, "cluster", "--executors", "3", ...limits)
  })
  afterAll(() => server.close())

  test("are passed", { timeout: 900_000 }, () => expectAuditsPassed(server, everyday))
})
