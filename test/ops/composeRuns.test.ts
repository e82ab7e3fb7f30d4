/**
 * What compose starts, started without it: NATS with its configuration, a server and an executor with exactly the environment that the container
 * and compose file give them, a PostgreSQL, and the secrets that the script makes.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort, sharedPostgres, startNats, whyNoNats, whyNoPostgres } from "@sibyl/testing"
import { Effect, Exit, Schema, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { containerText, stagesOf } from "./containerFile.ts"
import { servedDocument } from "./servedDocument.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const bin = join(root, "packages/server/bin/sibyl.js")
const why = whyNoNats ?? whyNoPostgres

type Environment = Readonly<Record<string, string>>

const Compose = Schema.Struct({
  services: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({
      command: Schema.optional(Schema.Array(Schema.String)),
      environment: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) }),
      env_file: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
      healthcheck: Schema.optional(Schema.Struct({ test: Schema.optional(Schema.Array(Schema.String)) }))
    })
  })
})

const { services } = Schema.decodeUnknownSync(Compose)(parse(readFileSync(join(root, "ops/compose/compose.yaml"), "utf8"), { merge: true }))

/** The lines of a file of variables. */
const variablesIn = (file: string): Environment =>
  Object.fromEntries(
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
  )

/** The settings that the image has of itself. */
const ofImage: Environment = Object.fromEntries(
  (stagesOf(containerText()).at(-1)?.steps ?? [])
    .filter(({ keyword }) => keyword === "ENV")
    .flatMap(({ text }) => text.split(/\s+/).map((pair) => pair.split("=") as [string, string]))
    .filter(([name]) => name.startsWith("SIBYL_"))
)

describe.skipIf(why !== undefined)(why === undefined ? "what compose starts" : `what compose starts (skipped: ${why})`, () => {
  const scope = Effect.runSync(Scope.make())
  const children: Array<ChildProcess> = []
  let folder = ""
  let healthPort = 0
  /** What names of other containers and places in the file system are here. */
  let here: ReadonlyArray<readonly [there: string, here: string]> = []

  const environmentOf = (service: string): Environment => {
    const { env_file, environment } = services[service] ?? { env_file: [], environment: {} }
    const files = Object.assign({}, ...env_file.map((path) => variablesIn(join(folder, "secrets", basename(path))))) as Environment
    const moved = Object.entries({ ...ofImage, ...environment }).map(([name, value]) => {
      const [from = "", to = ""] = here.find(([there]) => value.startsWith(there)) ?? []
      return [name, to + value.slice(from.length)]
    })
    return { ...(Object.fromEntries(moved) as Environment), ...files }
  }

  const start = (service: string, args: ReadonlyArray<string>): ChildProcess => {
    const env = { PATH: process.env["PATH"], ...environmentOf(service) }
    const child = spawn(process.execPath, [bin, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
    children.push(child)
    return child
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sibyl-compose-"))
    execFileSync("sh", [join(root, "ops/compose/makeSecrets.sh"), join(folder, "secrets")])
    const passwords = variablesIn(join(folder, "secrets/nats.env"))
    healthPort = await freePort()
    const written = readFileSync(join(root, "ops/compose/nats.conf"), "utf8")
      .replace(/^max_payload.*$/m, "")
      .replace("127.0.0.1:8222", `127.0.0.1:${healthPort}`)
    const configuration = written.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => passwords[name] ?? "")
    const nats = await Effect.runPromise(Scope.extend(startNats({ configuration }), scope))
    const postgres = await Effect.runPromise(sharedPostgres)
    writeFileSync(join(folder, "secrets/database"), postgres.url("postgres"))
    here = [
      ["nats://nats:4222", nats.url],
      ["/run/secrets", join(folder, "secrets")],
      ["/var/lib/sibyl", join(folder, "data")],
      ["0.0.0.0", "127.0.0.1"],
      ["9464", "0"]
    ]
  })
  afterAll(async () => {
    for (const child of children) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined
      child.kill("SIGTERM")
      await ended
    }
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  test("NATS answers its health check", async () => {
    const asked = services["nats"]?.healthcheck?.test?.at(-1) ?? ""
    expect(asked).toMatch(/^http:\/\/127\.0\.0\.1:8222\//)
    const { status } = await fetch(asked.replace("8222", `${healthPort}`))
    expect(status).toBe(200)
  })

  test("a server and an executor find each other, the server is ready for runs, and shows its metrics to Prometheus", async () => {
    const executor = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ metrics: Schema.String })))(
      await servedDocument(start("executor", [...(services["executor"]?.command ?? []), "--json"]))
    )
    const { url } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ url: Schema.String })))(
      await servedDocument(start("server", ["serve", "--json", "--port", "0"]))
    )
    // `workers` are the executors that the server hears.
    await expect
      .poll(async () => (await fetch(`${url}/ready`)).json(), { timeout: 30_000 })
      .toMatchObject({ status: "ready", checks: { database: "ok", workers: "ok" } })
    // What Prometheus sends stands in a file of its own.
    const token = readFileSync(join(folder, "secrets/metrics-token"), "utf8")
    for (const [address, workers] of [
      [`${url}/metrics`, 1],
      [executor.metrics, 2]
    ] as const) {
      expect((await fetch(address)).status).toBe(401)
      const scraped = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
      // The server's are the executors that it hears, the executor's its threads.
      expect(await scraped.text()).toMatch(new RegExp(`^sibyl_workers_ready ${workers}$`, "m"))
    }
  })
})
