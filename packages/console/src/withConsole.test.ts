/** The console beside a service: its documents and their headers, and everything else as it was. */
import type { Service } from "@sibyl/core"
import { expect, test } from "vitest"
import { withConsole } from "./withConsole.ts"

const inner = {
  fetch: (request: { readonly url: string }) => Promise.resolve({ status: 404, headers: {}, body: request.url })
} as unknown as Service
const examples = [{ name: "prices", execProgramId: "ab".repeat(32), execInputs: { id: 1 } }]
const service = withConsole(inner, { examples })
const ask = async (method: string, url: string) => {
  const answer = await service.fetch({ method, url, headers: {}, body: undefined } as never)
  if (answer === undefined) throw new Error(`${url} was left to the embedding server`)
  return answer
}

test.each([
  ["/console", "text/html; charset=utf-8", '<script type="module" src="console/main.js">'],
  ["/console/main.js", "text/javascript; charset=utf-8", "addEventListener"],
  ["/console/main.css", "text/css; charset=utf-8", ".runs"],
  ["/console/examples.json?v=1", "application/json", JSON.stringify(examples)]
])("%s is served, as it is bundled, with a strict policy", async (url, type, part) => {
  const { body, headers, status } = await ask("GET", url)
  expect([status, headers["content-type"]]).toEqual([200, type])
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/)
  expect(body).toContain(part)
  expect(String(body).length).toBeGreaterThan(50)
  const head = await ask("HEAD", url)
  expect(head.body).toBe("")
  expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(String(body))))
})

test("other paths and methods are the service's", async () => {
  for (const [method, url] of [
    ["GET", "/execute"],
    ["GET", "/console/other"],
    ["GET", "/console/constructor"],
    ["POST", "/console"]
  ] as const) {
    expect(await ask(method, url)).toEqual({ status: 404, headers: {}, body: url })
  }
})
