/** What an audit says of itself when it could not be run to its end. */
import { expect, it } from "vitest"
import { audit } from "./audit.ts"

it("tells what was thrown, with its causes", async () => {
  const lost = new TypeError("fetch failed", { cause: new Error("other side closed", { cause: "a reset" }) })
  const { run } = audit("A-1", "MUST", "a clause", "a title", () => Promise.reject(lost))
  expect(await run({})).toEqual({
    kind: "failed",
    failures: [
      {
        what: "the audit ran to its end",
        ok: false,
        actual: "TypeError: fetch failed, because of Error: other side closed, because of a reset"
      }
    ]
  })
})
