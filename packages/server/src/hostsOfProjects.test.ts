/** What a project's programs may reach, on a started server: its list of hosts, and a host that does not answer. */
import { createServer } from "node:http"
import { auditPrograms } from "@sibyl/testing"
import { callingProgram, type ProgramCall } from "@sibyl/testing/wasm"
import { afterEach, expect, test } from "vitest"
import { Site, type Tenant } from "./crash/testdata/site.ts"

const hosts = ["one.example", "two.example", "closed.example"]

let site: Site | undefined
const upstream = createServer((_, response) => response.end("fine"))

afterEach(async () => {
  await site?.close()
  upstream.closeAllConnections()
  upstream.close()
})

const listening = (): Promise<number> =>
  new Promise((resolve) => {
    upstream.listen(0, "127.0.0.1", () => {
      const address = upstream.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

const fetching = (host: string): Uint8Array =>
  callingProgram(Array.from({ length: 2 }, (_, at): ProgramCall => ({ kind: "fetch", url: `https://${host}/${at}` })))

/** The program's last answer: eight random bytes, then what it was told. */
const told = async (url: string, { key }: Tenant, tallyProgramId: string, execProgramId: string): Promise<string> => {
  const response = await fetch(`${url}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ execProgramId, tallyProgramId, execInputs: "", encoding: "hex" })
  })
  const answer = (await response.json()) as { readonly data: { readonly dataResult: { readonly result: string } } }
  return promiseText(Buffer.from(answer.data.dataResult.result, "hex").subarray(8).toString())
}

/** The body of a call's answer: the host's, or why there is none. */
const promiseText = (json: string): string => {
  const [answer = []] = Object.values(JSON.parse(json) as Record<string, ReadonlyArray<number>>)
  const { bytes } = JSON.parse(Buffer.from(answer).toString()) as { readonly bytes: ReadonlyArray<number> }
  return Buffer.from(bytes).toString()
}

test("a project reaches the hosts of its list alone, another one all; a host that does not answer rests", async () => {
  const origin = `http://127.0.0.1:${await listening()}`
  const overrides = Object.fromEntries(hosts.map((host) => [host, host.startsWith("closed") ? "http://127.0.0.1:1" : origin]))
  site = await Site.open("SQLite", { outbound: { hostOverrides: overrides } })
  const [one = "", two = "", closed = ""] = await Promise.all(hosts.map((host) => (site as Site).deploy(fetching(host))))
  const listed = await site.tenant(10n ** 9n, { allowedHosts: ["one.example"] })
  const free = await site.tenant(10n ** 9n)
  const tally = await site.deploy(auditPrograms.echo)
  const { url } = await site.start()
  const toldTo = (tenant: Tenant, program: string): Promise<string> => told(url, tenant, tally, program)
  const refusal = "outbound request refused: the host is not on the project's allow-list"
  expect([await toldTo(listed, one), await toldTo(listed, two)]).toEqual(["fine", refusal])
  expect([await toldTo(free, one), await toldTo(free, two)]).toEqual(["fine", "fine"])
  expect(await toldTo(free, closed)).toBe("outbound request failed: the connection was refused")
  // Each time that the machine stands still for as long as it rests, it is tried again, and then rests for longer.
  await expect.poll(() => toldTo(free, closed), { timeout: 60_000 }).toBe("outbound request refused: the host has not answered lately")
})
