/** When it is told that no executor is heard. */
import { expect, test } from "vitest"
import { ExecutorsHeard, quietMs } from "./executorsHeard.ts"

test("tells once that none is heard, after a while, and once that there are some again", () => {
  const heard = new ExecutorsHeard()
  expect([heard.look(0, true, 0), heard.look(0, true, quietMs - 1), heard.look(2, true, quietMs)]).toEqual([
    undefined,
    undefined,
    undefined
  ])
  expect([heard.look(0, true, 10_000), heard.look(0, true, 10_000 + quietMs), heard.look(0, true, 60_000)]).toEqual([
    undefined,
    "quiet",
    undefined
  ])
  expect([heard.look(1, true, 60_200), heard.look(1, true, 60_400)]).toEqual(["heard", undefined])
})

test("tells nothing of executors while NATS is away, and gives them time when it is back", () => {
  const heard = new ExecutorsHeard()
  const looks = [0, 5_000, 9_000].map((nowMs) => heard.look(0, false, nowMs))
  expect([...looks, heard.look(0, true, 9_200), heard.look(0, true, 9_200 + quietMs)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    "quiet"
  ])
})
