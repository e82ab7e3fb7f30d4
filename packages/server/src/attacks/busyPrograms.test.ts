/** One tenant keeps every worker busy; another one is still served. */
import { assemble } from "@sibyl/testing/wasm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { endlessFill } from "./testdata/endlessFill.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"

let server: AttackedServer

afterAll(() => server.close())

const endlessLoop = assemble(`
import proc_exit
loop forever
  br forever
end
i32.const 0
call proc_exit
`)

beforeAll(async () => {
  // Long enough for the bystander on a machine that stands still for seconds.
  server = await AttackedServer.open([endlessLoop, endlessFill], { limits: { execWallClockMs: 3_000, queueWaitMs: 30_000 } })
})

/** On a busy machine the attacker's last runs time out in the queue; those that began end as failed programs. */
const expectTurns = (answers: ReadonlyArray<number | string>): void => {
  expect(answers).toContain(599)
  expect(answers.filter((status) => status !== 599 && status !== 503)).toEqual([])
}

test("twenty endless loops at once", async () => {
  const [loop = ""] = server.programIds
  const seen = await server.during(async () => {
    expectTurns(await Promise.all(Array.from({ length: 20 }, () => server.attackWith(loop))))
  })
  expectUnharmed("twenty endless loops", seen)
})

test("ten runs that fill memory until the clock ends them", async () => {
  const [, fill = ""] = server.programIds
  const seen = await server.during(async () => {
    expectTurns(await Promise.all(Array.from({ length: 10 }, () => server.attackWith(fill))))
  })
  expectUnharmed("ten runs that fill memory", seen)
})
