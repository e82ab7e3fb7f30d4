/** Pages of other origins in a real browser: the README's example works as it stands, and a page that is not listed gets nothing. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Client, createClient } from "@sibyl/client"
import { build } from "esbuild"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, launchBrowser, withoutBrowser } from "../testdata/chromium.ts"
import { askSibyl } from "../testdata/runSibyl.ts"
import { StartedServer } from "../testdata/startedServer.ts"

const textOf = (path: string): Promise<string> => readFile(fileURLToPath(new URL(path, import.meta.url)), "utf8")

/** The address of the service in the README's page. The browser is told that it is here. */
const service = "http://oracle.example"

/** A script of these tests as a browser takes it. */
const bundledPage = async (path: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["@sibyl/source"],
    define: { "process.env.NODE_ENV": '"production"' }
  })
  return outputFiles[0]?.text ?? ""
}

/** A page whose calls are let in, as by a proxy that adds the headers of CORS itself; its title is why its feed is not. */
const callsOnlyPage = `<!doctype html><script type="module">
  import { createClient } from "/sibyl-client.js"
  const auth = await (await fetch("/wide-ticket")).text()
  const answer = async () => new Response('{"_tag":"OutsideTicket","error":"no"}', { status: 403 })
  const onConnection = ({ error }) => { document.title = error?.message ?? "" }
  const oracle = createClient({ url: "${service}", auth, fetch: answer, onConnection })
  for await (const item of oracle.feed({ execute: { execProgramId: "x" }, mode: "FIXED", periodicityMs: 1000 })) document.title = item.kind
</script>`

describe.skipIf(!hasBrowser)(`a page of another origin (${withoutBrowser})`, () => {
  let folder: string
  let server: StartedServer
  let browser: Browser
  let client: Client
  const pages: Array<Server> = []

  /** A web server with the README's page, the client beside it, and a backend that makes tickets. */
  const servePage = async (): Promise<string> => {
    const readme = await textOf("../../../../README.md")
    const files: Readonly<Record<string, readonly [type: string, text: () => Promise<string>]>> = {
      "/": ["text/html; charset=utf-8", () => Promise.resolve(/```html\n([^]*?)```/.exec(readme)?.[1] ?? "")],
      "/sibyl-client.js": ["text/javascript", () => textOf("../../../client/dist/bundle/index.js")],
      "/react": ["text/html; charset=utf-8", () => Promise.resolve('<div id="root"></div><script type="module" src="/react.js"></script>')],
      "/react.js": ["text/javascript", () => bundledPage("../testdata/reactPage.ts")],
      "/calls-only": ["text/html; charset=utf-8", () => Promise.resolve(callsOnlyPage)],
      "/oracle-ticket": ["text/plain", async () => (await client.ticket({ allow: ["feeds"] })).ticket],
      "/wide-ticket": ["text/plain", async () => (await client.ticket({ maxUses: 10 })).ticket]
    }
    const page = createServer((request, response) => {
      const [type, text] = files[request.url ?? ""] ?? ["text/plain", () => Promise.resolve("")]
      void text().then((body) => response.writeHead(200, { "content-type": type }).end(body))
    })
    pages.push(page)
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(page.address() as AddressInfo).port}`
  }

  let listed: string
  let foreign: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-pages-"))
    listed = await servePage()
    foreign = await servePage()
    await writeFile(join(folder, "sibyl.json"), JSON.stringify({ allowedOrigins: [listed] }))
    server = new StartedServer("node", ["serve", "--demo", "--port", "0"], folder)
    await server.until(/Ctrl-C stops the server/)
    const url = new URL(/^ {2}console +(\S+)$/m.exec(server.output)?.[1] ?? "")
    client = createClient({ url: url.origin, auth: (await readFile(join(folder, ".sibyl", "demo-key"), "utf8")).trim() })
    const examples = (await (await fetch(`${url.origin}/console/examples.json`)).json()) as ReadonlyArray<{
      readonly name: string
      readonly execProgramId: string
    }>
    const price = examples.find(({ name }) => name === "crypto-price")
    await askSibyl(["program", "name", "v1.prices.acme", price?.execProgramId ?? ""], { cwd: folder })
    browser = await launchBrowser(`--host-resolver-rules=MAP oracle.example:80 127.0.0.1:${url.port}`)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop("SIGKILL")
    for (const page of pages) page.close()
    await rm(folder, { recursive: true, force: true })
  })

  const open = async (origin: string): Promise<{ readonly page: Page; readonly said: Array<string> }> => {
    const page = await browser.newPage()
    const said: Array<string> = []
    page.on("console", (message) => said.push(message.text()))
    page.on("pageerror", (error) => said.push(String(error)))
    await page.goto(origin)
    return { page, said }
  }

  /** What a page that has a ticket is answered to a run: a status, or why it cannot see one. */
  const execute = (page: Page): Promise<number | string> =>
    page.evaluate(async (url) => {
      const ticket = await (await fetch("/wide-ticket")).text()
      const answer = await fetch(`${url}/execute?execProgramId=v1.prices.acme&execInputs=%7B%7D`, {
        headers: { authorization: `Bearer ${ticket}` }
      }).catch((error: unknown) => String(error))
      return typeof answer === "string" ? answer : answer.status
    }, service)

  test("shows prices by the README's example, and may run programs, if it is listed", async () => {
    const { page, said } = await open(listed)
    const price = page.locator("#price")
    await expect.poll(() => price.innerText()).toMatch(/^\d+(\.\d+)?$/)
    const first = await price.innerText()
    await expect.poll(() => price.innerText()).not.toBe(first)
    // The inputs lack an id, so the program fails: but the page sees that it does.
    expect(await execute(page)).toBe(599)
    expect(said.filter((text) => !text.includes("599"))).toEqual([])
    await page.close()
  })

  test("shows a feed in a React component, another one when it asks for that, and stops it with the component", async () => {
    const { page, said } = await open(`${listed}/react`)
    const shown = page.locator("#shown")
    await expect.poll(() => shown.innerText()).toMatch(/^\d+(\.\d+)?$/)
    await page.getByRole("button", { name: "fail" }).click()
    await expect.poll(() => shown.innerText()).toMatch(/^failed FailedExecutionResponse/)
    await page.getByRole("button", { name: "refuse" }).click()
    await expect.poll(() => shown.innerText()).toBe("ended InvalidParameter")
    await page.getByRole("button", { name: "leave" }).click()
    await expect.poll(() => page.locator("#connection").innerText()).toBe("closed")
    expect(said).toEqual([])
    await page.close()
  })

  test("gets no connection and sees no answer if it is not, whatever ticket it has", async () => {
    const { page, said } = await open(foreign)
    await expect.poll(() => said.join()).toMatch(/WebSocket connection to 'ws:\/\/oracle\.example\/ws\/v1' failed/)
    expect(await page.locator("#price").innerText()).toBe("…")
    const before = await client.project()
    expect(await execute(page)).toMatch(/TypeError: Failed to fetch/)
    expect((await client.project()).credits.used).toBe(before.credits.used)
    await page.close()
  })

  test("is told what to look at, where calls are let in and its WebSocket is not", async () => {
    const { page } = await open(`${foreign}/calls-only`)
    await expect.poll(() => page.title()).toContain(`name the origin of this page (it is ${foreign})`)
    await expect.poll(() => server.output).toContain(`"reason":"OutsideTicket","origin":"${foreign}","host":"oracle.example"`)
    await page.close()
  })
})
