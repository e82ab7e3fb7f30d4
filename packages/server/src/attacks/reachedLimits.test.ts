/** Every limit of a run, reached on a started server: the client sees its name and value under debug, the operator in the log and the metrics. */
import { auditPrograms } from "@sibyl/testing"
import { bombs } from "@sibyl/testing/hostile"
import { assemble } from "@sibyl/testing/wasm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Site } from "../crash/testdata/site.ts"
import { endlessFill, endlessFillOf } from "./testdata/endlessFill.ts"

/** Enough to fill 250 MiB once while other tests take the processors: else the time would end what the memory should. */
const execWallClockMs = 15_000
const allowed = {
  execWallClockMs,
  stdoutBytes: 10,
  stderrBytes: 60,
  resultBytes: 8,
  hostCalls: 2,
  hostCallBytes: 800,
  httpActionBytes: 1_000,
  storageActionBytes: 1_000,
  memoryPages: 4_000
}
const workerMemoryMib = 200
const gasLimits = { exec: 300_000_000_000_000n, tally: 50_000_000_000_000n }

const bombNamed = (name: string): Uint8Array => {
  const found = bombs.find((bomb) => bomb.name === name)
  if (found === undefined) throw new Error(`no bomb is called ${name}`)
  return found.program
}

const ended = `
i32.const 0
call proc_exit
`

/** Writes this many bytes of memory, zeros, to a stream. */
const writes = (stream: number, bytes: number): Uint8Array =>
  assemble(`
import fd_write
import proc_exit
i32.const 0
i32.const 64
i32.store
i32.const 4
i32.const ${bytes}
i32.store
i32.const ${stream}
i32.const 0
i32.const 1
i32.const 16
call fd_write
drop
${ended}`)

/** Makes a call with an action of this length, so many times. The action begins with `text` and is padded with spaces. */
const asks = (host: string, text: string, length: number, times = 1): Uint8Array =>
  assemble(`
import ${host}
import proc_exit
data 64 ${JSON.stringify(text.padEnd(length))}
${`i32.const 64
i32.const ${length}
call ${host}
drop
`.repeat(times)}
${ended}`)

// It is refused at once, so nothing goes out; a refused request is an answer.
const fetching = '{"url":"http://127.0.0.1/"}'

interface Case {
  readonly program: Uint8Array
  readonly exitCode: number
  /** What the phase's stderr has in it. */
  readonly says: string
  readonly limits: ReadonlyArray<readonly [limit: string, allowed: number | bigint | null]>
}

const cases: Readonly<Record<string, Case>> = {
  gas: {
    program: assemble(`import proc_exit\nloop forever\nbr forever\nend\n${ended}`),
    exitCode: 1,
    says: "Ran out of gas",
    limits: [["execGasLimit", gasLimits.exec]]
  },
  time: {
    program: endlessFill,
    exitCode: 1,
    says: `Execution time limit exceeded (${execWallClockMs}ms)`,
    limits: [["execWallClockMs", execWallClockMs]]
  },
  "memory of all instances of a worker": {
    program: endlessFillOf(4_000),
    exitCode: 1,
    says: "Memory limit of the worker exceeded (200MiB)",
    limits: [["workerMemoryMib", workerMemoryMib]]
  },
  "memory of one instance": {
    program: assemble(`import proc_exit\nmemory 4001\n${ended}`),
    exitCode: 1,
    says: "Minimum exceeds the allowed memory limit",
    limits: [["memoryPages", 4_000]]
  },
  tables: {
    program: bombNamed("a table of 20,000,000 places"),
    exitCode: 1,
    says: "65536",
    limits: [["module", null]]
  },
  locals: {
    program: bombNamed("a function of 60,000 locals"),
    exitCode: 1,
    says: "20000",
    limits: [["module", null]]
  },
  stack: { program: bombNamed("a function that calls itself"), exitCode: 1, says: "call stack exhausted", limits: [["stack", null]] },
  stdout: { program: writes(1, 11), exitCode: 0, says: "", limits: [["stdoutBytes", 10]] },
  stderr: { program: writes(2, 61), exitCode: 0, says: "", limits: [["stderrBytes", 60]] },
  "stdout that just fits": { program: writes(1, 10), exitCode: 0, says: "", limits: [] },
  result: {
    program: assemble(`import execution_result\nimport proc_exit\ni32.const 0\ni32.const 9\ncall execution_result\n${ended}`),
    exitCode: 255,
    says: "Result larger than 8bytes.",
    limits: [["resultBytes", 8]]
  },
  "number of host calls": { program: asks("http_fetch", fetching, 40, 3), exitCode: 0, says: "", limits: [["hostCalls", 2]] },
  "bytes of host calls": { program: asks("http_fetch", fetching, 801), exitCode: 0, says: "", limits: [["hostCallBytes", 800]] },
  "one action": { program: asks("http_fetch", fetching, 1_001), exitCode: 0, says: "", limits: [["httpActionBytes", 1_000]] },
  "one action of storage": {
    program: asks("storage_read", '{"keys":["ab"]}', 1_001),
    exitCode: 0,
    says: "",
    limits: [["storageActionBytes", 1_000]]
  }
}

interface Answer {
  readonly data: {
    readonly id: string
    readonly execute: {
      readonly exitCode: number
      readonly stdout: string
      readonly stderr: string
      readonly limits?: ReadonlyArray<{ readonly limit: string; readonly allowed: string | null }>
    }
  }
}

let site: Site
let run: (program: string, debug: boolean) => Promise<Answer>
let output: () => string
let url: string
let tallyProgramId: string
const programIds = new Map<string, string>()

beforeAll(async () => {
  site = await Site.open("SQLite", {
    isolation: "process",
    workerMemoryMib,
    limits: allowed,
    logLevel: "info",
    metrics: { access: "open" }
  })
  tallyProgramId = await site.deploy(auditPrograms.echo)
  for (const [name, { program }] of Object.entries(cases)) programIds.set(name, await site.deploy(program))
  const { key } = await site.tenant(1_000_000_000n, { gasLimits })
  const server = await site.start()
  ;({ url } = server)
  output = () => server.process.output
  run = async (execProgramId, includeDebugInfo) => {
    const response = await fetch(`${url}/execute`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ execProgramId, tallyProgramId, execInputs: "", includeDebugInfo })
    })
    return (await response.json()) as Answer
  }
})
afterAll(() => site.close())

const countOf = async (limit: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^sibyl_limits_reached_total\\{limit="${limit}"\\} (\\d+)$`, "m").exec(metrics)?.[1] ?? 0)
}

test.each(Object.entries(cases))("%s", async (name, { exitCode, limits, says }) => {
  const before = await Promise.all(limits.map(([limit]) => countOf(limit)))
  const { data } = await run(programIds.get(name) ?? "", true)
  expect(data.execute).toMatchObject({ exitCode, stderr: expect.stringContaining(says) })
  const shown = limits.map(([limit, value]) => ({ limit, allowed: value === null ? null : String(value) }))
  expect(data.execute.limits ?? []).toEqual(shown)
  const told = shown.map(({ allowed: value, limit }) => `execute ${limit}${value === null ? "" : ` ${value}`}`).join(", ")
  const line = (): string | undefined =>
    output()
      .split("\n")
      .find((text) => text.includes('"outcome"') && text.includes(data.id))
  await expect.poll(line).toBeDefined()
  expect((JSON.parse(line() ?? "{}") as { readonly fields?: { readonly limits?: string } }).fields?.limits ?? "").toBe(told)
  for (const [at, [limit]] of limits.entries()) expect(await countOf(limit)).toBe((before[at] ?? 0) + 1)
})

test("without debug the answer has no limits", async () => {
  const { data } = await run(programIds.get("result") ?? "", false)
  expect(data).not.toHaveProperty("execute")
})
