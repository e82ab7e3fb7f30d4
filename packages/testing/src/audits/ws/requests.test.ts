/** How the kit looks at the credits of a project whose service closes connections under its requests. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { settledCredits } from "./requests.ts"
import type { WsTarget } from "./wsTarget.ts"

let asked = 0
let closes: (count: number) => boolean
const server = createServer((request, response) => {
  asked += 1
  if (closes(asked)) request.socket.destroy()
  else response.setHeader("content-type", "application/json").end(JSON.stringify({ credits: { used: "7", held: "0" } }))
})

afterEach(() => server.close())

const target = async (): Promise<WsTarget> => {
  asked = 0
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl, apiKey: "a key" } as unknown as WsTarget
}

it("looks three times", async () => {
  closes = (count) => count < 3
  expect(await settledCredits(await target(), "a key")).toBe("7")
})

it("and no more", async () => {
  closes = () => true
  await expect(settledCredits(await target(), "a key")).rejects.toThrow()
  expect(asked).toBe(3)
})
