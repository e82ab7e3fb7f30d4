/** Programs that are expensive to compile are refused or compiled within bounds, and do not keep a server from stopping. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assemble } from "@sibyl/testing/wasm"
import { afterEach, expect, test } from "vitest"
import { ownRuntime, Site } from "../crash/testdata/site.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { endlessFillOf } from "./testdata/endlessFill.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"
import { MemoryWatch } from "./testdata/memoryWatch.ts"

let attacked: AttackedServer | undefined
let site: Site | undefined

afterEach(async () => {
  await attacked?.close()
  await site?.close()
})

const times = (count: number, line: (at: number) => string): string => Array.from({ length: count }, (_, at) => line(at)).join("\n")

const locals = (count: number): string => times(count, (at) => `local l${at}`)

/** 20,000 locals, and a branch for every five bytes. */
const branches = (count: number): Uint8Array =>
  assemble(`
import proc_exit
${locals(20_000)}
${times(count, () => "local.get l0\nif then\nend")}
i32.const 0
call proc_exit
`)

/** A loop with `turns` iterations that changes `live` locals and branches back from `ways` places. */
const backEdges = (live: number, ways: number, turns: number): Uint8Array =>
  assemble(`
import proc_exit
local turn
${locals(live)}
loop again
  local.get turn
  i32.const 1
  i32.add
  local.set turn
  ${times(live, (at) => `local.get l${at}\nlocal.get l${(at * 7 + 1) % live}\ni32.add\nlocal.set l${at}`)}
  ${times(ways, (at) => `local.get l${at % live}\nbr_if again`)}
  local.get turn
  i32.const ${turns}
  i32.lt_u
  br_if again
end
i32.const 0
call proc_exit
`)

test("stored compile bombs are refused when they are run", async () => {
  const bombs = [branches(1_200), branches(3_600), backEdges(5_000, 8_000, 1_000)]
  const server = (attacked = await AttackedServer.open(bombs))
  const seen = await server.during(async () => {
    for (const bomb of server.programIds) expect(await server.attackWith(bomb)).toBe(599)
  })
  expectUnharmed("bombs for the compilers", seen)
})

test("deploying a compile bomb is refused within bounds", async () => {
  const { folder } = (site = await Site.open("SQLite"))
  const file = join(folder, "bomb.wasm")
  await writeFile(file, branches(76_000))
  const deploying = new StartedServer(ownRuntime, ["deploy", file], folder)
  const memory = new MemoryWatch(deploying, 1.5e9)
  const { code, signal } = await deploying.exit
  expect({ code, signal, worst: memory.stop() < 1e9 }).toEqual({ code: 1, signal: null, worst: true })
  expect(deploying.output).toContain("too costly to compile")
})

test("a program that ends its workers while its gas is measured is not deployed, and takes the command no memory", async () => {
  const { folder } = (site = await Site.open("SQLite", { workerMemoryMib: 128, limits: { memoryPages: 4_000 } }))
  const file = join(folder, "greedy.wasm")
  await writeFile(file, endlessFillOf(4_000))
  const deployed = async () => {
    const deploying = new StartedServer(ownRuntime, ["deploy", file], folder)
    const memory = new MemoryWatch(deploying, 1.5e9)
    const { code, signal } = await deploying.exit
    return { code, signal, small: memory.stop() < 4e8, output: deploying.output }
  }
  // A busy machine may not give the program 128 MiB within the 10 s that a deployment waits for it.
  let last = await deployed()
  for (let attempt = 1; attempt < 5 && last.code === 0; attempt += 1) {
    expect(last).toMatchObject({ signal: null, small: true })
    last = await deployed()
  }
  expect(last, last.output).toMatchObject({ code: 1, signal: null, small: true })
  expect(last.output).toContain("cannot run as an Oracle Program: it takes more than the 128 MiB of a worker")
}, 240_000)

test("a server stops when asked to, even while programs are being compiled", async () => {
  const server = (attacked = await AttackedServer.open([backEdges(100, 300, 400_000), backEdges(400, 60, 400_000)]))
  const seen = await server.during(() => Promise.all(server.programIds.map((program) => server.attackWith(program))))
  expectUnharmed("programs dear to optimise", seen)
  // Process managers wait 90 s (systemd) or 10 s (containers); the test waits as long as the server's own limit.
  expect(await server.server.process.stop("SIGTERM")).toEqual({ code: 0, signal: null })
})
