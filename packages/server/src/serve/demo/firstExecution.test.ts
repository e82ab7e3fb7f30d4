/** What a person is told whose first execution is not answered. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { fetchJson } from "./firstExecution.ts"

test("a run that does not end is told in words, where the runtime's own are that fetch failed", async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/execute`
  await expect(fetchJson(url, "key", 100)).rejects.toMatchObject({
    _tag: "DemoFailed",
    message: expect.stringMatching(/^a first execution was not answered within 0\.1 s: its run does not end, look at the log/)
  })
  silent.close().closeAllConnections()
})
