/** The doctor on runtimes: versions that get repairs, that get none any more, and that are not known. */
import { expect, test } from "vitest"
import { runtimeFinding } from "./examineRuntime.ts"

const at = Date.parse("2026-11-27T00:00:00Z")

test.each([
  [{ node: "20.20.2" }, "warning", "Node 20.20.2 has had no repairs since 2026-04-30; on a newer one, runs also take less processor time"],
  [{ node: "24.21.0" }, "ok", "Node 24.21.0, which gets repairs until 2028-04-30"],
  [{ node: "99.0.0" }, "ok", "Node 99.0.0; how long it gets repairs is not known here"],
  [{ node: "24.3.0", bun: "1.4.4" }, "ok", "Bun 1.4.4"],
  [{ node: "24.3.0", deno: "2.6.0" }, "ok", "Deno 2.6.0"]
])("%o: %s", (versions, status, message) => {
  expect(runtimeFinding(versions, at)).toEqual({ check: "runtime", status, message })
})

test("a line gets repairs until its day", () => {
  const statusAt = (nowMs: number): string => runtimeFinding({ node: "22.1.0" }, nowMs).status
  const day = Date.parse("2027-04-30")
  expect([statusAt(day - 1), statusAt(day)]).toEqual(["ok", "warning"])
})
