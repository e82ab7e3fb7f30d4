/** `sibyl cluster`, `sibyl executor` and `sibyl serve --cluster` as processes, over a real NATS server. */
import { execFileSync } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { ownRuntime } from "../crash/testdata/site.ts"
import { allEnded, childrenOf } from "../testdata/childProcesses.ts"
import { runSibyl } from "../testdata/runSibyl.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { describeNats } from "./testdata/describeNats.ts"

/** The processes below one, at any depth. */
const below = async (pid: number): Promise<ReadonlyArray<number>> => {
  const own = await childrenOf(pid)
  return [...own, ...(await Promise.all(own.map(below))).flat()]
}

const nameOf = (pid: number): string => {
  try {
    return execFileSync("ps", ["-o", "comm=", "-p", `${pid}`])
      .toString()
      .trim()
  } catch {
    return ""
  }
}

const until = async (holds: () => boolean | Promise<boolean>, ms = 40_000): Promise<void> => {
  const deadline = performance.now() + ms
  while (!(await holds()) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await holds()).toBe(true)
}

interface Announced {
  readonly url: string
  readonly executors: ReadonlyArray<number>
  readonly demo: { readonly cryptoPriceId: string; readonly keyFile: string; readonly execution: { readonly refusal?: unknown } }
}

describeNats("sibyl cluster", () => {
  let folder: string
  let started: Array<StartedServer>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-cluster-"))
    started = []
  })
  afterEach(async () => {
    await Promise.all(started.map((one) => one.stop("SIGKILL")))
    await rm(folder, { recursive: true, force: true })
  })

  const start = async (...args: ReadonlyArray<string>) => {
    const server = new StartedServer(ownRuntime, ["cluster", "--executors", "2", "--demo", "--json", "--port", "0", ...args], folder, {
      TMPDIR: folder
    })
    started.push(server)
    const [line] = await server.until(/^\{"(?:url|executor)":.*\}$/m)
    return { server, announced: JSON.parse(line) as Announced }
  }

  const asker = async ({ demo, url }: Announced) => {
    const authorization = `Bearer ${(await readFile(demo.keyFile, "utf8")).trim()}`
    const inputs = { id: "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43", output_format: "json" }
    const body = JSON.stringify({ execProgramId: demo.cryptoPriceId, execInputs: inputs, encoding: "json" })
    return async (): Promise<number> =>
      (await fetch(`${url}/execute`, { method: "POST", body, headers: { authorization, "content-type": "application/json" } })).status
  }

  test("starts all of it, replaces what dies, and drains all of it", async () => {
    const { announced, server } = await start()
    expect(announced.executors).toHaveLength(2)
    const ask = await asker(announced)
    expect(await ask()).toBe(200)

    const [first = 0, second = 0] = announced.executors
    process.kill(first, "SIGKILL")
    expect(await ask()).toBe(200)
    // A line of JSON like those of the processes below, wherever standard error is no terminal.
    await server.until(/^\{.*"message":"executor 1 ended with signal SIGKILL; it is started again.*\}$/m)
    process.kill(second, "SIGKILL")
    await until(async () => (await ask()) === 200)

    const nats = (await below(server.pid)).find((pid) => nameOf(pid) === "nats-server") ?? 0
    expect(nats).not.toBe(0)
    process.kill(nats, "SIGKILL")
    await server.until(/^\{.*"message":"nats-server ended with code 137; it is started again.*\}$/m)
    await until(async () => (await ask()) === 200)

    const all = await below(server.pid)
    expect(all.length).toBeGreaterThanOrEqual(3)
    expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    await allEnded(all)
    expect(server.output).not.toContain("before it had finished")
  })

  test("leaves nothing behind when it is killed", async () => {
    const { server } = await start()
    const all = await below(server.pid)
    await server.stop("SIGKILL")
    await allEnded(all)
    // The file with NATS's token among them.
    expect((await readdir(folder)).filter((name) => name.startsWith("sibyl-nats-"))).toEqual([])
  })

  test("with edges, and a server that is told to serve, share the executors of one NATS", async () => {
    const { announced } = await start("--edges", "2")
    const ask = await asker(announced)
    expect(await Promise.all(Array.from({ length: 8 }, ask))).toEqual(Array.from({ length: 8 }, () => 200))
  })

  test("refuses what makes no sense, in one line", async () => {
    const refused = async (...args: ReadonlyArray<string>) => {
      const { code, stderr } = await runSibyl(args, { cwd: folder })
      return `${code} ${stderr.trim()}`
    }
    expect(await refused("cluster", "--executors", "0")).toBe("2 sibyl: --executors must be a whole number from 1 to 256, not 0")
    expect(await refused("executor")).toMatch(/^2 sibyl: cluster must be given: .+--cluster nats:\/\/HOST:PORT/)
    expect(await refused("executor", "--cluster", "nats://me:p4ssphrase@127.0.0.1:1")).toMatch(/^2 sibyl: --cluster must be a list of/)
    const unused = await refused("executor", "--cluster", "nats://127.0.0.1:1", "--set", "port=5")
    expect(unused).toBe("2 sibyl: port must be absent from the command line of an executor, which does not use it")
    expect(await refused("executor", "--cluster", "nats://host:99999")).toMatch(/^2 sibyl: --cluster must be a list of/)
    const withoutFolder = await runSibyl(["cluster", "--port", "0"], { cwd: folder, env: { TMPDIR: "/nowhere" } })
    expect([withoutFolder.code, withoutFolder.stderr]).toEqual([
      1,
      expect.stringMatching(/^sibyl: nats-server needs a folder in \/nowhere, which TMPDIR names: Error: ENOENT[^\n]+\n$/)
    ])
    await writeFile(join(folder, "sibyl.json"), JSON.stringify({ database: "postgres://me:p4ssphrase@127.0.0.1/none" }))
    const withDatabase = await refused("executor", "--cluster", "nats://127.0.0.1:1")
    expect(withDatabase).toMatch(/^2 sibyl: database must be absent where an executor runs/)
    expect(withDatabase).not.toContain("p4ssphrase")
  })
})
