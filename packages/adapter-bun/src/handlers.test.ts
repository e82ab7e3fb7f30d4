/** What `Bun.serve` is told of WebSockets. */
import { makeMirrorService } from "@sibyl/testing"
import { expect, it } from "vitest"
import { createHandlers } from "./handlers.ts"

it("leaves to the service which idle WebSockets end: Bun ends none, and pings none", () => {
  const { websocket } = createHandlers(makeMirrorService())
  // 0 disables it; by default Bun ends a socket on which nothing came for 120 s, however long the service waits between its pings.
  expect(websocket).toMatchObject({ idleTimeout: 0, sendPings: false })
})
