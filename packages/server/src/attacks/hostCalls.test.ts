/** Programs that compute and then make host calls beyond the limits: they are charged, and others are served. */
import { soakCount } from "@sibyl/testing/soak"
import { assemble } from "@sibyl/testing/wasm"
import { afterEach, expect, test } from "vitest"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"

let attacked: AttackedServer | undefined

afterEach(() => attacked?.close())

/** What is written into memory: `first`, the four bytes of `four` repeatedly at every third (or `step`th) place, `last`. */
interface Action {
  readonly host: string
  readonly first: string
  readonly four: string
  readonly step: 1 | 2 | 3 | 4
  readonly times: number
  readonly last: string
}

const littleEndian = (text: string): number => {
  const [a = 0, b = 0, c = 0, d = 0] = new TextEncoder().encode(text)
  return a | (b << 8) | (c << 16) | (d << 24) | 0
}

const action = 65_536

/** Spends about 225 T gas, builds the action, makes the host call, and exits with 0 whatever its result. */
const asking = ({ first, four, host, last, step, times }: Action): Uint8Array => {
  const filledTo = action + first.length + step * times
  return assemble(`
import ${host}
import proc_exit
memory 160
data ${action} ${JSON.stringify(first)}
data 1024 ${JSON.stringify(last)}
local at
local left
i32.const 40000000
local.set left
loop work
  local.get left
  i32.const 1
  i32.sub
  local.tee left
  br_if work
end
i32.const ${action + first.length}
local.set at
loop write
  local.get at
  i32.const ${littleEndian(four)}
  i32.store
  local.get at
  i32.const ${step}
  i32.add
  local.tee at
  i32.const ${filledTo}
  i32.lt_u
  br_if write
end
${[...new TextEncoder().encode(last)]
  .map(
    (byte, at) => `
i32.const ${filledTo + at}
i32.const ${byte}
i32.store8`
  )
  .join("")}
i32.const ${action}
i32.const ${filledTo - action + last.length}
call ${host}
drop
i32.const 0
call proc_exit
`)
}

const keys = (host: string, times: number): Action => ({ host, first: '{"keys":[', four: '"","', step: 3, times, last: '""]}' })

/** Calls below and above the limits. */
const actions: Readonly<Record<string, Action>> = {
  "reads of 40,000 keys": keys("storage_read", 40_000),
  "reads of 900,000 keys": keys("storage_read", 900_000),
  "reads of 3,000,000 keys": keys("storage_read", 3_000_000),
  "deletes of 40,000 keys": keys("storage_delete", 40_000),
  "deletes of 3,000,000 keys": keys("storage_delete", 3_000_000),
  "a write of 3 MB": { host: "storage_write", first: '{"values":{"":"', four: "0000", step: 4, times: 750_000, last: '"}}' },
  "a write of 10 MB": { host: "storage_write", first: '{"values":{"":"', four: "0000", step: 4, times: 2_500_000, last: '"}}' },
  "a fetch of 10 MB": { host: "http_fetch", first: '{"url":"', four: "aaaa", step: 4, times: 2_500_000, last: '"}' },
  "a fetch nested a million deep": { host: "http_fetch", first: '{"url":', four: "[[[[", step: 4, times: 250_000, last: "" },
  "a fetch nested ten million deep": { host: "http_fetch", first: '{"url":', four: "[[[[", step: 4, times: 2_500_000, last: "" },
  "a fetch with a body of a million bytes": {
    host: "http_fetch",
    first: '{"url":"http://a.test/","options":{"body":[',
    four: "0,0,",
    step: 4,
    times: 250_000,
    last: "0]}}"
  }
}

interface Answer {
  readonly data?: {
    readonly execute?: { readonly exitCode: number; readonly stderr: string }
    readonly summary?: { readonly creditsUsed: string }
  }
}

/** One run of the attacker: the status, the execution phase's end, and whether its gas was charged. */
const runOnce = async (server: AttackedServer, execProgramId: string): Promise<string> => {
  const response = await fetch(`${server.url}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.attacker.key}`, "content-type": "application/json" },
    body: JSON.stringify({ execProgramId, execInputs: "", includeDebugInfo: true, includeSummary: true })
  })
  const { data } = (await response.json()) as Answer
  const charged = Number(data?.summary?.creditsUsed ?? 0) > 200
  return `${response.status}, exit code ${data?.execute?.exitCode}, ${charged ? "charged" : "not charged"}`
}

/** How often each program runs. */
const runsOfEach = soakCount({ everyday: 2, full: 6 })

test(`calls of many keys, long actions and deep nesting, ${runsOfEach} of each, four at once`, async () => {
  const names = Object.keys(actions)
  const server = (attacked = await AttackedServer.open(Object.values(actions).map(asking)))
  const ends = new Map<string, Set<string>>()
  const seen = await server.during(async () => {
    const waiting = names.flatMap((name, at) => Array.from({ length: runsOfEach }, () => [name, server.programIds[at] ?? ""] as const))
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [name, programId] = next
        const end = await runOnce(server, programId)
        ends.set(name, (ends.get(name) ?? new Set()).add(end))
      }
    }
    await Promise.all([worker(), worker(), worker(), worker()])
  })
  // The same program is the tally, which has no storage calls and a lower gas limit: the run fails there, and is charged.
  const expected = Object.fromEntries(names.map((name) => [name, ["599, exit code 0, charged"]]))
  expect(Object.fromEntries([...ends].map(([name, found]) => [name, [...found]]))).toEqual(expected)
  expectUnharmed("calls beyond the bounds", seen)
}, 300_000)
