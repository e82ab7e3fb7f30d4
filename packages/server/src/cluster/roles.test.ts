/** The sample configuration of docs/SCALING.md on a real NATS server: an edge and an executor work with it, and can do nothing else. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NatsConnection } from "@sibyl/cluster"
import { auditPrograms, startNats } from "@sibyl/testing"
import { Context, Effect, Exit, Layer, Logger, LogLevel, Redacted, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { execution } from "../crash/testdata/flatPrice.ts"
import { ownRuntime } from "../crash/testdata/site.ts"
import { askSibyl, runSibyl } from "../testdata/runSibyl.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { describeNats } from "./testdata/describeNats.ts"

const page = await readFile(new URL("../../../../docs/SCALING.md", import.meta.url), "utf8")
const [, sample = ""] = /^```conf\n([\s\S]*?)^```$/m.exec(page) ?? []

describeNats("the users of docs/SCALING.md", () => {
  let scope: Scope.CloseableScope
  let url: string
  let folder: string
  let started: Array<StartedServer>

  beforeAll(async () => {
    scope = await Effect.runPromise(Scope.make())
    // The test's server has this bound of its own accord.
    const configuration = sample.replace("max_payload: 8388608", "")
    const nats = await Effect.runPromise(Scope.extend(startNats({ configuration }), scope))
    ;({ url } = nats)
    folder = await mkdtemp(join(tmpdir(), "sibyl-roles-"))
    started = []
  })
  afterAll(async () => {
    await Promise.all(started.map((one) => one.stop("SIGKILL")))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  })

  const settingsOf = async (user: string, password: string): Promise<string> => {
    const file = join(folder, `${user}.json`)
    await writeFile(file, JSON.stringify({ workers: 1, port: 0, cluster: { servers: [url], user, password } }))
    return file
  }

  const start = async (command: string, file: string): Promise<Record<string, string>> => {
    const server = new StartedServer(ownRuntime, [command, "--json", "--config", file], folder)
    started.push(server)
    const [line] = await server.until(/^\{"(?:url|executor)":.*\}$/m)
    return JSON.parse(line) as Record<string, string>
  }

  test("are enough for an edge and an executor, and the doctor finds them well", async () => {
    const [edge, executor] = [await settingsOf("edge", "EDGE_PASSWORD"), await settingsOf("executor", "EXECUTOR_PASSWORD")]
    const without = await runSibyl(["doctor", "--json", "--config", edge], { cwd: folder })
    expect(JSON.parse(without.stdout)).toMatchObject({
      healthy: false,
      checks: expect.arrayContaining([
        { check: "executors", status: "failed", message: "nobody serves the net default: start sibyl executor with --net default" }
      ])
    })
    await start("executor", executor)
    const { url: served } = await start("serve", edge)
    expect(await askSibyl(["doctor", "--config", edge], { cwd: folder })).toMatchObject({
      healthy: true,
      checks: expect.arrayContaining([
        expect.objectContaining({ check: "nats", status: "ok" }),
        { check: "nats max_payload", status: "ok", message: "8,388,608 bytes" },
        expect.objectContaining({ check: "nats round trip" }),
        { check: "nats permissions", status: "ok", message: "those of an edge" },
        expect.objectContaining({ check: "executors", status: "ok", message: expect.stringContaining("1 of net default") }),
        expect.objectContaining({ check: "executors' clocks", status: "ok" })
      ])
    })
    const ask = async (...words: ReadonlyArray<string>) =>
      (await askSibyl([...words, "--config", edge], { cwd: folder })) as Readonly<Record<string, string>>
    await writeFile(join(folder, "echo.wasm"), auditPrograms.echo)
    const { programId = "" } = await ask("program", "deploy", "echo.wasm")
    const { projectId = "" } = await ask("project", "create", "--org", "acme", "--name", "Roles")
    await ask("credits", "grant", projectId, "1000")
    const { key = "" } = await ask("key", "create", projectId)
    expect(await execution(served ?? "", { key, programId, inputs: "over NATS" })).toMatchObject({ status: 200 })
  })

  test("are told apart by the doctor, which names what an edge needs and its user may not", async () => {
    const settings = await settingsOf("executor", "EXECUTOR_PASSWORD")
    const own = await runSibyl(["doctor", "--executor", "--json", "--config", settings], { cwd: folder })
    const permissions = { check: "nats permissions", status: "ok", message: "those of an executor" }
    expect(JSON.parse(own.stdout)).toMatchObject({ checks: expect.arrayContaining([permissions]) })
    const { code, stderr, stdout } = await runSibyl(["doctor", "--json", "--config", settings], { cwd: folder })
    expect(code).toBe(1)
    expect(stderr).not.toContain("Permissions Violation")
    const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<{ readonly check: string; readonly message: string }> }
    const subjects = ["sibyl.run.default", "sibyl.run.default.at.survey", "sibyl.alive.survey", "sibyl.feed.survey"]
    const refused = ["_INBOX.survey.*", "sibyl.feed.survey", "sibyl.beat.default"].map((subject) => `subscribe to ${subject}`)
    const { message = "" } = checks.find(({ check }) => check === "nats permissions") ?? {}
    expect(checks).toContainEqual({ check: "executors", status: "skipped", message: "not without a permission to hear them" })
    const [, told = ""] = /^as an edge, this user may not: (.+) \(doctor --executor looks for an executor's\)$/.exec(message) ?? []
    expect(told.split("; ").toSorted()).toEqual([...subjects.map((subject) => `publish to ${subject}`), ...refused].toSorted())
  })

  test("are refused with a wrong password, which is not repeated", async () => {
    const wrong = await settingsOf("edge", "wr0ng-password")
    const { code, stderr, stdout } = await runSibyl(["serve", "--config", wrong], { cwd: folder })
    expect(code).toBe(1)
    expect(stderr).toContain("does not accept these credentials")
    expect(stderr + stdout).not.toContain("wr0ng-password")
    const shown = await runSibyl(["config", "--config", wrong], { cwd: folder })
    expect(shown.stdout).toMatch(/cluster\.password\s+<redacted>/)
    expect(shown.stdout).not.toContain("wr0ng-password")
  })

  test("let an executor neither read what others are answered nor give work to anybody", async () => {
    const connect = (user: string, password: string) =>
      Effect.map(Layer.build(NatsConnection.layer({ servers: [url], user, password: Redacted.make(password) })), (context) =>
        Context.get(context, NatsConnection)
      )
    const heard: Array<string> = []
    const hear = ({ subject }: { readonly subject: string }) => void heard.push(subject)
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const edge = yield* connect("edge", "EDGE_PASSWORD")
          const executor = yield* connect("executor", "EXECUTOR_PASSWORD")
          for (const subject of ["_INBOX.x.*", "sibyl.feed.*", "sibyl.beat.default"]) yield* executor.subscribe(subject, hear)
          for (const subject of ["sibyl.run.default", "sibyl.alive.*"]) yield* edge.subscribe(subject, hear)
          yield* edge.subscribe("sibyl.feed.x", hear)
          yield* edge.subscribe("_INBOX.y.*", hear)
          yield* edge.flushed
          yield* executor.flushed
          for (const subject of ["_INBOX.x.1", "sibyl.feed.x", "sibyl.run.default"]) edge.publish(subject, new Uint8Array(1))
          for (const subject of ["sibyl.run.default", "sibyl.alive.a", "sibyl.feed.x"]) executor.publish(subject, new Uint8Array(1))
          // Last, what both may do: when it has arrived, everything before it has, or never will.
          executor.publish("_INBOX.y.1", new Uint8Array(1))
          yield* executor.flushed
          yield* edge.flushed
        })
      ).pipe(Logger.withMinimumLogLevel(LogLevel.None))
    )
    expect(heard.toSorted()).toEqual(["_INBOX.y.1", "sibyl.feed.x"])
  })
})
