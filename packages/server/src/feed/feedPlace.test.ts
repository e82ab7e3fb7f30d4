/** `sibyl feed` uses the address and key of a `sibyl serve` in the same environment. */
import { expect, test } from "vitest"
import { feedKeyFile, feedUrl } from "./feedPlace.ts"

test("the address: SIBYL_URL, or this machine at the port and prefix of the server", () => {
  expect(feedUrl({})).toBe("http://127.0.0.1:8717")
  expect(feedUrl({ SIBYL_PORT: "9000", SIBYL_PREFIX: "/oracle" })).toBe("http://127.0.0.1:9000/oracle")
  expect(feedUrl({ SIBYL_PORT: "9000", SIBYL_URL: "https://oracle.test" })).toBe("https://oracle.test")
})

test("the key: the demo's, in the data folder", () => {
  expect(feedKeyFile({})).toBe(".sibyl/demo-key")
  expect(feedKeyFile({ SIBYL_DATA: "/var/lib/sibyl" })).toBe("/var/lib/sibyl/demo-key")
})
