/** Worker processes from outside: what they have of the server, what ends them, and what is told of it. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { openSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { programIdOf } from "@sibyl/core"
import { build } from "esbuild"
import { afterEach, describe, expect, it } from "vitest"
import type { PassOrder, WorkerReport } from "../orders/messages.ts"
import { OrderProgress } from "../orders/orderProgress.ts"
import { inputOf } from "../testdata/runProgram.ts"
import { greedy, tightMemoryMib } from "../testdata/tightMemory.ts"
import { moduleNamed } from "../testdata/vectors.ts"
import type { WorkerEnd } from "./poolWorker.ts"
import { processCommand } from "./processCommand.ts"
import { isMapped, mayChangeUser } from "./unprivileged.ts"
import { processWorkerFile } from "./workerFile.ts"
import { WorkerProcess } from "./workerProcess.ts"

const isLinux = process.platform === "linux"
const isBun = process.versions["bun"] !== undefined
const testFile = (name: string): string => fileURLToPath(new URL(`../testdata/${name}.mjs`, import.meta.url))

/** A worker, and what it has told. */
interface Told {
  readonly worker: WorkerProcess
  readonly reports: Array<WorkerReport>
  readonly ends: Array<WorkerEnd>
}

const open: Array<Told> = []
const start = (file = processWorkerFile() ?? "", maxMib = 512): Told => {
  const reports: Array<WorkerReport> = []
  const ends: Array<WorkerEnd> = []
  const worker = new WorkerProcess(
    file,
    { keptPrograms: 4, maxMib, environment: {}, progress: new OrderProgress() },
    { onReport: (report) => reports.push(report), onUnreadable: () => ends.push({ reason: "unreadable" }), onEnd: (end) => ends.push(end) }
  )
  const told = { worker, reports, ends }
  open.push(told)
  return told
}
afterEach(() => Promise.all(open.splice(0).map(({ worker }) => worker.terminate())))

const orderFor = (bytes: Uint8Array): PassOrder => {
  const programId = programIdOf(bytes)
  const { tape, ...input } = inputOf("exec")
  return {
    key: programId,
    phase: "exec",
    program: { kind: "source", source: { programId, bytes, memoryPages: 160 } },
    terms: { kind: "sent", number: undefined, terms: { input } },
    tape,
    ahead: undefined,
    isCheck: undefined,
    tally: undefined
  }
}

const soon = { timeout: 20_000 }
const reported = (told: Told, count: number): Promise<void> => expect.poll(() => told.reports.length, soon).toBe(count)
const ended = (told: Told): Promise<void> => expect.poll(() => told.ends.length, soon).toBe(1)

/** The processes that a process has started; only where the system tells. */
const childrenOf = (pid: number | undefined): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

const isThere = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

describe("a worker process", () => {
  it("runs what it is ordered to, one after the other", async () => {
    const told = start()
    for (const name of ["min_return", "loop_sum", "recursion"]) told.worker.give(orderFor(moduleNamed(name)))
    await reported(told, 4)
    expect(told.reports.map(({ kind }) => kind)).toEqual(["ready", "passed", "passed", "passed"])
  })

  it.skipIf(!isLinux)("has nothing of the server's environment, files and sockets (skipped elsewhere: only Linux has /proc)", async () => {
    process.env["SIBYL_TEST_SECRET"] = "seen"
    const file = openSync(fileURLToPath(import.meta.url), "r")
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const told = start()
    await reported(told, 1)
    const { pid } = told.worker
    const linksOf = (of: number | "self" | undefined): ReadonlyArray<string> =>
      readdirSync(`/proc/${of}/fd`).flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/${of}/fd/${fd}`)]
        } catch {
          return []
        }
      })
    expect(linksOf("self")).toContain(fileURLToPath(import.meta.url))
    const files = linksOf(pid).filter((link) => link.startsWith("/") && !link.startsWith("/dev/"))
    expect(files).toEqual([])
    // Its five pipes are the only ones that it shares with anybody.
    expect(linksOf(pid).filter((link) => link.startsWith("socket:")).length).toBeLessThanOrEqual(5)
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("seen")
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8").trim()).toBe("1000")
    delete process.env["SIBYL_TEST_SECRET"]
    server.close()
    expect(file).toBeGreaterThan(0)
  })

  it.skipIf(isBun)("may read its own code, and nothing else, nor write or start anything (skipped on Bun: it has no permissions)", () => {
    const { args, command } = processCommand(testFile("snoopingProcess"), { keptPrograms: 1, maxMib: 100 })
    const { stderr, stdout } = spawnSync(command, args, { cwd: "/", env: {}, encoding: "utf8" })
    expect([stdout.trim(), stderr]).toEqual(["readsOwnFolder", ""])
  })

  it.skipIf(process.getuid?.() !== 0 || !isLinux)("is nobody's where the server is root's (skipped unless root runs it)", async () => {
    const told = start()
    await reported(told, 1)
    const { ids } = processCommand(processWorkerFile() ?? "", { keptPrograms: 1, maxMib: 100 })
    const status = readFileSync(`/proc/${told.worker.pid}/status`, "utf8")
    expect(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])).toBe(ids?.uid ?? 0)
    // Where it could not be another's, it is the same as the server's: the code is not readable, or capabilities are missing.
    if (ids !== undefined) expect(BigInt(`0x${/^CapEff:\s+([0-9a-f]+)$/m.exec(status)?.[1]}`)).toBe(0n)
  })

  it("changes its user only with the capabilities for that", () => {
    expect(mayChangeUser("CapEff:\t000001ffffffffff\n")).toBe(true)
    expect(mayChangeUser("CapEff:\t00000000a80425fb\n")).toBe(true)
    expect(mayChangeUser("CapEff:\t0000000000000000\n")).toBe(false)
    expect(mayChangeUser("CapEff:\t00000000000000c0\n")).toBe(false)
    expect(mayChangeUser("")).toBe(false)
  })

  it("is another user where its namespace has that one", () => {
    const whole = "         0          0 4294967295\n"
    const rootless = "         0       1000          1\n         1     100000      65536\n"
    expect([whole, rootless].map((map) => isMapped(map, 65_534))).toEqual([true, true])
    expect(["         0          0          1\n", "         0     100000      65534\n", ""].map((map) => isMapped(map, 65_534))).toEqual([
      false,
      false,
      false
    ])
  })

  it("goes on when it is told to end: the server decides that", async () => {
    const told = start()
    await reported(told, 1)
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.kill(told.worker.pid ?? 0, signal)
    told.worker.give(orderFor(moduleNamed("min_return")))
    await reported(told, 2)
    expect(told.ends).toEqual([])
  })

  it("says so when it is killed: only it is lost", async () => {
    const told = start()
    await reported(told, 1)
    process.kill(told.worker.pid ?? 0, "SIGKILL")
    await ended(told)
    expect(told.ends).toEqual([{ reason: "SIGKILL", loss: { why: "crash" } }])
  })

  it("ends when it has more memory than it may", async () => {
    const told = start(undefined, tightMemoryMib)
    await reported(told, 1)
    told.worker.give(orderFor(greedy))
    await ended(told)
    expect(told.ends).toEqual([
      { reason: `it had more than ${tightMemoryMib} MiB of memory`, loss: { why: "memory", limitMib: tightMemoryMib } }
    ])
  })

  it("ends when it works on without an order", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sibyl-restless-"))
    const outfile = join(folder, "restless.mjs")
    const entry = fileURLToPath(new URL("../testdata/restlessProcess.ts", import.meta.url))
    await build({ entryPoints: [entry], bundle: true, format: "esm", platform: "node", outfile, logLevel: "error" })
    // Its folder has to be passable for the user that it runs as.
    await chmod(folder, 0o755)
    const told = start(outfile)
    await ended(told)
    await rm(folder, { recursive: true })
    expect(told.ends).toEqual([{ reason: "it worked on without an order", loss: { why: "crash" } }])
  })

  it("ends with a reason if it cannot be started", async () => {
    const told = start(testFile("nowhere"))
    await ended(told)
    expect(told.ends).toEqual([{ reason: expect.stringContaining("ENOENT"), loss: { why: "crash" } }])
    await told.worker.terminate()
  })

  it("tells what an engine wrote before it ended", async () => {
    const told = start(testFile("stillbornWorker"))
    await ended(told)
    expect(told.ends[0]?.reason).toContain("stillborn")
  })

  it.skipIf(!isLinux)(
    "ends with the server, even if that is killed and a program runs (skipped elsewhere: only Linux has /proc)",
    async () => {
      const server = spawn(process.execPath, [testFile("endlessServer")], { stdio: "ignore" })
      const file = realpathSync(processWorkerFile() ?? "")
      // On Bun, its first child tries what the engine is told.
      const isWorker = (pid: number): boolean => isThere(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(file)
      const workersOf = (): ReadonlyArray<number> => (isThere(server.pid ?? 0) ? childrenOf(server.pid).filter(isWorker) : [])
      await expect.poll(() => workersOf().length, soon).toBe(1)
      const [worker = 0] = workersOf()
      const ticks = (): number => Number(readFileSync(`/proc/${worker}/stat`, "utf8").split(" ")[13])
      // It runs the program: it uses processor time all the while.
      await expect.poll(ticks, soon).toBeGreaterThan(50)
      server.kill("SIGKILL")
      await expect.poll(() => isThere(worker), soon).toBe(false)
    }
  )
})
