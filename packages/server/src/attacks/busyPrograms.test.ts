/** One tenant keeps every worker busy; another one is served all the same. */
import { assemble } from "@sibyl/testing"
import { afterEach, expect, test } from "vitest"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"

let attacked: AttackedServer | undefined

afterEach(() => attacked?.close())

const endlessLoop = assemble(`
import proc_exit
loop forever
  br forever
end
i32.const 0
call proc_exit
`)

test("twenty endless loops at once", async () => {
  const server = (attacked = await AttackedServer.open([endlessLoop]))
  const [loop = ""] = server.programIds
  const seen = await server.during(async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.attackWith(loop)))
    expect(answers).toContain(599)
    // On a busy machine the last ones wait longer than a run may.
    expect(answers.filter((status) => status !== 599 && status !== 503)).toEqual([])
  })
  expectUnharmed("twenty endless loops", seen)
}, 180_000)
