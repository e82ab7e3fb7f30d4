/** The console in a real browser, against a demonstration server: runs, feeds, what goes wrong with both, nothing from outside, accessible. */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { createClient, type ExecuteRequest } from "@sibyl/client"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, launchBrowser, withoutBrowser } from "../testdata/chromium.ts"
import { type CuttingProxy, startCuttingProxy } from "../testdata/cuttingProxy.ts"
import { runSibyl } from "../testdata/runSibyl.ts"
import { StartedServer } from "../testdata/startedServer.ts"

const shortestTicketMs = 1_000

const shots = process.env["SIBYL_SCREENSHOTS"]
describe.skipIf(!hasBrowser)(`the console in a browser (${withoutBrowser})`, () => {
  let browser: Browser
  let server: StartedServer
  let folder: string
  let key: string
  let url: string
  let proxy: CuttingProxy

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-console-"))
    server = new StartedServer("node", ["serve", "--demo", "--port", "0"], folder)
    await server.until(/Ctrl-C stops the server/)
    url = /^ {2}console +(\S+)$/m.exec(server.output)?.[1] ?? "no console"
    proxy = await startCuttingProxy(new URL(url).origin)
    key = (await readFile(join(folder, ".sibyl", "demo-key"), "utf8")).trim()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await proxy?.close()
    await server?.stop("SIGKILL")
    await rm(folder, { recursive: true, force: true })
  })

  // Also after a failure: the feeds of a page that stays open would put the runs of later tests out of the newest ones.
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  })

  /** Opens the console; what it says in the browser's console and what it asks for elsewhere is collected. */
  const open = async (options: Parameters<Browser["newPage"]>[0] = {}, address = url) => {
    const page = await browser.newPage(options)
    const faults: Array<string> = []
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()))
    page.on("pageerror", (error) => faults.push(String(error)))
    page.on("request", (request) => {
      const asked = new URL(request.url())
      if (asked.protocol !== "data:" && asked.origin !== new URL(address).origin) faults.push(`asks ${request.url()}`)
    })
    await page.goto(address)
    await page.locator('#program option:not([value=""]):not([value="*"])').first().waitFor({ state: "attached" })
    return { page, faults }
  }

  /** With the keyboard alone, from the field of the key. */
  const execute = async (page: Page, withKey: string): Promise<void> => {
    await page.locator("#key").fill(withKey)
    await page.keyboard.press("Enter")
  }

  /** Which colours of the page the chart is drawn with now. */
  const axisColours = (page: Page): Promise<ReadonlyArray<string>> =>
    page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>("div:not([hidden]) > .view canvas")
      const pixels = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
      const drawn = new Set<string>()
      for (let at = 0; at < pixels.length; at += 4) {
        if (pixels[at + 3] === 255) drawn.add(`#${[0, 1, 2].map((of) => (pixels[at + of] ?? 0).toString(16).padStart(2, "0")).join("")}`)
      }
      const style = getComputedStyle(document.documentElement)
      return ["--soft", "--line"].filter((name) => drawn.has(style.getPropertyValue(name).trim()))
    })

  const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
    // Evaluated by the test's own protocol: the page's policy allows no script but its own.
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"))
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: ReadonlyArray<{ id: string }> }> } }
      return (await axe.run()).violations.map(({ id }) => id)
    })
  }

  test.each([
    { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } }
  ] as const)("runs a program and checks its signature, $colorScheme", async ({ colorScheme, viewport }) => {
    const { faults, page } = await open({ colorScheme, viewport })
    await execute(page, key)
    await page.getByText("Signature valid").waitFor()
    const text = await page.locator(".answer").innerText()
    expect(text).toMatch(
      /Execution phase[^]*exit code\s+0[^]*gas\s+[\d,]+ of [\d,]+[^]*200\s+\d+\s+\d+ ms\s+GET https:\/\/\S+[^]*Tally phase[^]*used\s+[\d,]+[^]*drId\s+[0-9a-f]{64}/
    )
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ""])
    expect(faults).toEqual([])
    if (shots !== undefined) await page.screenshot({ path: join(shots, `console-execute-${colorScheme}.png`) })
    await page.close()
  })

  test("shows a changed answer as invalid", async () => {
    const { faults, page } = await open()
    await page.route("**/execute?*", async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      answer.data.dataResult.blockHeight = String(BigInt(answer.data.dataResult.blockHeight) + 1n)
      await route.fulfill({ response, json: answer })
    })
    await execute(page, key)
    await page.getByText("Signature invalid").waitFor()
    expect(await page.getByText("Signature valid").count()).toBe(0)
    expect(faults).toEqual([])
    await page.close()
  })

  test("runs a program by its id, also where none is offered", async () => {
    const [offered]: ReadonlyArray<{ readonly execProgramId: string; readonly execInputs: unknown }> = await (
      await fetch(`${url}/examples.json`)
    ).json()
    const { faults, page } = await open()
    await page.route("**/console/examples.json", (route) => route.fulfill({ json: [] }))
    await page.reload()
    await page.locator("#program").selectOption("*")
    await page.locator("#program-id").fill(` ${offered?.execProgramId} `)
    await page.locator("#inputs").fill(JSON.stringify(offered?.execInputs))
    expect(await violations(page)).toEqual([])
    await execute(page, key)
    await page.getByText("Signature valid").waitFor()
    expect(faults).toEqual([])
    await page.close()
  })

  test("says so when an answer is no JSON", async () => {
    const { page } = await open()
    await page.route("**/execute?*", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }))
    await execute(page, key)
    await page.getByText("The service gave no answer: the answer has status 502 and is no JSON: <h1>Bad gateway</h1>").waitFor()
    await page.close()
  })

  test("names the limit that a phase reached", async () => {
    const told = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await runSibyl([...args, "--json"], { cwd: folder })).stdout) as { readonly projectId: string; readonly key: string }
    const { projectId } = await told("project", "create", "--org", "frugal", "--exec-gas", "6000000000000")
    await told("credits", "grant", projectId, "1000")
    const { key: frugal } = await told("key", "create", projectId)
    const { faults, page } = await open()
    await execute(page, frugal)
    await page.getByText("limits reached").waitFor()
    expect(await page.locator(".answer").innerText()).toMatch(/Execution phase[^]*limits reached\s+execGasLimit \(6,000,000,000,000\)/)
    expect(await violations(page)).toEqual([])
    // A run that failed has a status of its own, of which the browser tells.
    expect(faults.filter((fault) => !fault.includes("599"))).toEqual([])
    await page.close()
  })

  test("saves a run as a file, which another console opens and verifies, and finds changed", async () => {
    const { page } = await open()
    await execute(page, key)
    await page.getByText("Signature valid").waitFor()
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save run as a file" }).click()])
    expect(download.suggestedFilename()).toMatch(/^sibyl-run-[0-9a-f]{12}\.json$/)
    const text = await readFile(await download.path(), "utf8")
    expect(text).not.toContain(key)
    await page.close()
    const { faults, page: other } = await open({ colorScheme: "dark", viewport: { width: 390, height: 844 } })
    const give = (name: string, content: string) =>
      other.getByLabel("Open a run that was saved").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) })
    await give("run.json", text)
    await other.getByText("Signature valid").waitFor()
    expect(await other.locator(".answer").innerText()).toMatch(/Read from run\.json[^]*Execution phase[^]*drId\s+[0-9a-f]{64}/)
    expect(await violations(other)).toEqual([])
    expect(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    const changed = JSON.parse(text)
    changed.data.dataResult.blockHeight = String(BigInt(changed.data.dataResult.blockHeight) + 1n)
    await give("changed.json", JSON.stringify(changed))
    await other.getByText("Signature invalid").waitFor()
    await give("none.json", "{}")
    await other.getByText("The file has no run in it").waitFor()
    expect(faults).toEqual([])
    await other.close()
  })

  test("saves the recording of a run, which sibyl replay runs again", async () => {
    const { faults, page } = await open()
    await page.getByLabel("Recording, to run it again").check()
    await execute(page, key)
    await page.getByText("Signature valid").waitFor()
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save recording" }).click()])
    expect(download.suggestedFilename()).toMatch(/^sibyl-recording-[0-9a-f]{12}\.json$/)
    const { code, stderr, stdout } = await runSibyl(["replay", await download.path()], { cwd: folder })
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/everything came out as it was recorded\n$/)
    expect(await violations(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })

  test("says that a key is wrong", async () => {
    const { page } = await open()
    await execute(page, "sibyl_wrong")
    await page.getByText("Refused").waitFor()
    expect(await page.locator(".answer").innerText()).toMatch(/401\s+kind\s+Unauthorized/)
    expect(await page.getByRole("button", { name: "Save run as a file" }).count()).toBe(0)
    await page.close()
  })

  describe("the feeds view", () => {
    const openFeeds = async (options: Parameters<Browser["newPage"]>[0] = {}) => {
      const opened = await open(options, `${proxy.url}/console#feeds`)
      await opened.page.locator("#feed-key").fill(key)
      return opened
    }

    const start = async (page: Page, mode: string, periodMs: number): Promise<void> => {
      await page.locator("#mode").selectOption(mode)
      await page.locator("#period").fill(String(periodMs))
      await page.getByRole("button", { name: "Start feed" }).click()
    }

    /** A page that is drawn anew may move under the press, which then presses nothing: whoever presses does it again. */
    const stop = async (page: Page, mode: string): Promise<void> => {
      const section = page.locator(`section[aria-label*="${mode}"]`)
      const press = async (): Promise<number> => {
        const button = section.getByRole("button", { name: "Stop" })
        if ((await button.count()) > 0) await button.click({ timeout: 5_000 }).catch(() => undefined)
        return section.getByText("Ended: stopped").count()
      }
      await expect.poll(press, { interval: 250, timeout: 30_000 }).toBe(1)
    }

    /** The results that a feed has had. */
    const results = async (page: Page, mode: string): Promise<number> => {
      const figures = await page.locator(`section[aria-label*="${mode}"] .figures`).innerText()
      return Number(/^([\d,]+) result/.exec(figures)?.[1]?.replaceAll(",", ""))
    }

    const waitForResults = (page: Page, mode: string, least: number) =>
      expect.poll(() => results(page, mode), { timeout: 40_000 }).toBeGreaterThanOrEqual(least)

    test.each([
      { colorScheme: "light", viewport: { width: 1280, height: 1000 } },
      { colorScheme: "dark", viewport: { width: 390, height: 844 } }
    ] as const)("runs three feeds in three modes, and stops them, $colorScheme", async ({ colorScheme, viewport }) => {
      const { faults, page } = await openFeeds({ colorScheme, viewport })
      const modes = ["FIXED", "SEQUENTIAL", "PARALLEL"]
      await page.locator("#feed-program").selectOption({ label: "metals-index" })
      // For the picture, shorter than a run takes: there the modes differ.
      for (const mode of modes) await start(page, mode, shots === undefined ? 50 : 10)
      for (const mode of modes) await waitForResults(page, mode, 14)
      for (const mode of modes) {
        const section = page.locator(`section[aria-label*="${mode}"]`)
        expect(await section.locator(".tick").count()).toBeGreaterThan(0)
        expect(await section.locator(".run").count()).toBeGreaterThan(0)
        expect(await section.innerText()).toMatch(/0 failures, 0 gaps, [\d,]+ credits used, [\d,]+ remaining/)
      }
      expect(await page.locator(".chart canvas").count()).toBe(1)
      expect(await page.locator("#charted option").allInnerTexts()).toEqual(["index", "credits remaining"])
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      if (shots !== undefined) await page.screenshot({ path: join(shots, `console-feeds-${colorScheme}.png`), fullPage: true })
      await page.locator("#charted").selectOption("credits remaining")
      for (const mode of modes) await stop(page, mode)
      await page.getByText("Not connected.").waitFor()
      expect(await page.getByText("Ended: stopped").count()).toBe(3)
      const [stopped] = await Promise.all(modes.map((mode) => results(page, mode)))
      await page.getByRole("link", { name: "Execute" }).click()
      await execute(page, key)
      await page.getByText("Signature valid").waitFor()
      await page.getByRole("link", { name: "Feeds" }).click()
      expect(await results(page, "FIXED")).toBe(stopped)
      // From the keyboard: it goes on at the title of the next feed, and after the last one at the line above.
      const focused = () => page.evaluate(() => document.activeElement?.textContent)
      for (const [index, then] of [/, SEQUENTIAL, /, /, PARALLEL, /, /^Feeds are shown here\.$/].entries()) {
        await page.locator("section.feed").first().getByRole("button", { name: "Remove" }).press("Enter")
        await expect.poll(() => page.locator("section.feed").count()).toBe(2 - index)
        expect(await focused()).toMatch(then)
      }
      expect(faults).toEqual([])
      await page.close()
    })

    test("shows what came also after a frame that came an hour late, as in a tab that was out of sight", async () => {
      const { page } = await openFeeds()
      await page.evaluate(() => {
        const [frame, now] = [requestAnimationFrame.bind(globalThis), performance.now.bind(performance)]
        let lateMs = 0
        performance.now = () => now() + lateMs
        globalThis.requestAnimationFrame = (then) =>
          frame((atMs) => {
            lateMs += 3_600_000
            then(atMs + lateMs)
          })
      })
      await start(page, "FIXED", 50)
      for (const least of [1, 3, 5]) await waitForResults(page, "FIXED", (await results(page, "FIXED")) + least)
      await stop(page, "FIXED")
      await page.close()
    })

    test("charts the first 20 of many feeds, and shows the card of each", async () => {
      const { faults, page } = await openFeeds()
      const started = 22
      await page.locator("#period").fill("600000")
      for (let feeds = 1; feeds <= started; feeds += 1) await page.getByRole("button", { name: "Start feed" }).click()
      const note = page.getByText(`The chart has the first 20 of ${started} feeds`)
      await note.waitFor()
      const cards = page.locator("section.feed")
      await expect.poll(() => cards.filter({ hasText: "1 result," }).count()).toBe(started)
      expect(await violations(page)).toEqual([])
      // The last one, and the first of those that are charted: the note tells of those that are left.
      for (const index of [started - 1, 0]) {
        await cards.nth(index).getByRole("button", { name: "Stop" }).click()
        await cards.nth(index).getByRole("button", { name: "Remove" }).click()
      }
      await note.waitFor({ state: "hidden" })
      expect(await cards.count()).toBe(20)
      expect(await page.getByText("Running.").count()).toBe(20)
      expect(faults).toEqual([])
      await page.close()
    })

    test("goes on after its connection is lost, and marks the gap", async () => {
      const { faults, page } = await openFeeds()
      await start(page, "SEQUENTIAL", 50)
      await waitForResults(page, "SEQUENTIAL", 3)
      proxy.pointAt("http://127.0.0.1:1")
      proxy.cut()
      await page.getByText("Connection lost, trying again.").waitFor()
      // From before the first result that follows: the strip moves on with the runs.
      const marked = page.locator(".strip .gap").first().waitFor({ state: "attached" })
      proxy.pointAt(url)
      await page.getByText("Last gap: the connection was lost, not known how many results missing.").waitFor()
      const before = await results(page, "SEQUENTIAL")
      await waitForResults(page, "SEQUENTIAL", before + 3)
      await page.getByText("Connected.", { exact: true }).waitFor()
      await marked
      // The browser itself says that it could not connect; the page says nothing.
      expect(faults.filter((fault) => !/WebSocket connection to|net::ERR/.test(fault))).toEqual([])
      await page.close()
    })

    test("gets in again with another ticket when one has expired", async () => {
      const { page } = await openFeeds()
      let tickets = 0
      await page.route("**/tickets", async (route) => {
        tickets += 1
        const wish = { ...route.request().postDataJSON(), ...(tickets === 1 ? { expiresInMs: shortestTicketMs } : {}) }
        const response = await route.fetch({ postData: JSON.stringify(wish) })
        // The first one reaches the page when it has expired.
        if (tickets === 1) await setTimeout(shortestTicketMs + 100)
        await route.fulfill({ response })
      })
      await start(page, "FIXED", 50)
      await waitForResults(page, "FIXED", 2)
      expect(tickets).toBe(2)
      await page.close()
    })

    test("says that it is not connected once a feed has ended for good, here with its key", async () => {
      const { page } = await openFeeds()
      const told = async (...args: ReadonlyArray<string>) => JSON.parse((await runSibyl([...args, "--json"], { cwd: folder })).stdout)
      const { projectId } = await told("project", "create", "--org", "brief")
      await told("credits", "grant", projectId, "100000")
      const { apiKeyId, key: brief } = await told("key", "create", projectId)
      const [, { execProgramId }] = await (await fetch(`${url}/examples.json`)).json()
      await told("program", "name", "v1.brief.acme", execProgramId, "--project", projectId)
      await page.locator("#feed-key").fill(brief)
      await page.locator("#feed-key").blur()
      await page.locator("#feed-program").selectOption("v1.brief.acme")
      await start(page, "FIXED", 50)
      await page.locator('section[aria-label*="v1.brief.acme"] .figures').waitFor()
      await expect.poll(() => page.locator(".figures").innerText(), { timeout: 40_000 }).toMatch(/[1-9]\d* (result|failure)/)
      await told("key", "revoke", apiKeyId)
      await page.getByText("Ended: Unauthorized").waitFor()
      await page.getByText("Not connected.").waitFor()
      // A key that has not this name: it stays to be seen.
      await page.locator("#feed-key").fill(key)
      await page.locator("#feed-key").blur()
      await page.locator("#feed-program-id").waitFor()
      expect(await page.locator("#feed-program-id").inputValue()).toBe("v1.brief.acme")
      await page.close()
    })

    test("says that a key is wrong, and that a period is too short", async () => {
      const { page } = await openFeeds()
      await start(page, "FIXED", 1)
      await page.getByText(/Ended: InvalidParameter: periodicityMs/).waitFor()
      await page.locator("#feed-key").fill("sibyl_wrong")
      await start(page, "FIXED", 50)
      await page.getByText(/Ended: Unauthorized: /).waitFor()
      await page.close()
    })
  })

  test.each([
    { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } }
  ] as const)("shows past runs page by page, a program, and the project, $colorScheme", async ({ colorScheme, viewport }) => {
    const { faults, page } = await open({ colorScheme, viewport })
    const oracle = createClient({ url: new URL(url).origin, auth: key })
    const examples = (await (await fetch(`${url}/examples.json`)).json()) as ReadonlyArray<ExecuteRequest>
    // A data request of its own for each case: the tally inputs are part of it.
    const [example] = examples
    if (example === undefined) throw new Error("the console offers no program")
    const { execInputs, execProgramId } = example
    const request = { execProgramId, execInputs, tallyInputs: colorScheme }
    const [{ answer }] = await Promise.all([oracle.execute(request), ...Array.from({ length: 29 }, () => oracle.execute(request))])
    const { drId } = answer.data.dataResult
    await page.getByRole("link", { name: "History" }).click()
    await page.locator("#history-key").fill(key)
    await page.locator("#drid").fill(drId)
    await page.getByRole("button", { name: "Show runs" }).click()
    await expect.poll(() => page.locator(".runs tbody tr").count()).toBe(25)
    await page.route("**/data-request-reports?*", (route) => route.fulfill({ status: 500, json: { _tag: "InternalError", error: "no" } }))
    await page.getByRole("button", { name: "Older runs" }).click()
    await page.getByRole("alert").filter({ hasText: "InternalError" }).waitFor()
    expect(faults.splice(0).filter((fault) => !fault.includes("500"))).toEqual([])
    await page.unroute("**/data-request-reports?*")
    await page.getByRole("button", { name: "Older runs" }).click()
    await expect.poll(() => page.locator(".runs tbody tr").count()).toBe(30)
    expect(await page.getByRole("alert").count()).toBe(0)
    expect(await page.getByRole("button", { name: "Older runs" }).count()).toBe(0)
    expect(await page.locator("#history-place option").allInnerTexts()).toEqual(["price"])
    expect(await page.title()).toBe("History - Sibyl console")
    for (const scheme of ["light", "dark", colorScheme] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await expect.poll(() => axisColours(page)).toContain("--soft")
    }
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.getByRole("link", { name: "Programs" }).click()
    await page.locator("#programs-program").fill(execProgramId)
    await page.getByRole("button", { name: "Show program" }).click()
    await expect.poll(() => page.locator("[aria-label='Last runs'] tbody tr").count()).toBe(10)
    const { sizeBytes } = await oracle.program(execProgramId)
    expect(await page.locator("main").innerText()).toMatch(
      new RegExp(`size\\s+${sizeBytes.toLocaleString("en-US")} bytes[^]*imports clock_time_get`)
    )
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.getByRole("link", { name: "Project", exact: true }).click()
    // From the keyboard, without leaving the field.
    await runSibyl(["program", "name", "v1.console.acme", execProgramId], { cwd: folder })
    await page.locator("#project-key").press("Enter")
    await page.getByRole("row", { name: `v1.console.acme ${execProgramId}`, exact: true }).waitFor()
    // A feed of a page that was closed may have had a run under way.
    await expect
      .poll(
        async () => {
          const remaining = BigInt((await oracle.project()).credits.remaining).toLocaleString("en-US")
          await page.getByRole("button", { name: "Show project" }).click()
          await page.getByRole("rowheader", { name: "remaining" }).waitFor()
          return page.getByText(remaining, { exact: true }).count()
        },
        { timeout: 30_000 }
      )
      .toBe(1)
    expect((await oracle.keys()).map(({ name }) => name)).toEqual(["demo"])
    // What is read out when it changes is a line; the limits stand before what may be long.
    expect(await page.getByRole("status").filter({ hasText: ", 1 key." }).count()).toBe(1)
    expect(await page.locator("[aria-live] .runs, [role=status] .runs").count()).toBe(0)
    expect(await page.locator("div:not([hidden]) > .view h2").allInnerTexts()).toEqual([
      "Project",
      "Credits",
      "Usage limit",
      "Gas limits",
      "Allowed programs",
      "Programs by name",
      "Keys"
    ])
    expect(await page.locator("[aria-label='Keys'] tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(/^demo\s\d{4}-\d\d-\d\d \d\d:\d\d\sno end$/)
    ])
    expect(await violations(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  })

  test("is small, allows nothing from outside, and does not answer other methods", async () => {
    const answers = await Promise.all(["", "/main.js", "/main.css", "/examples.json"].map((path) => fetch(url + path)))
    const policies = answers.map(({ headers }) => headers.get("content-security-policy") ?? "")
    for (const policy of policies) expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    expect(policies.join(" ")).not.toContain("unsafe")
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect(bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)).toBeLessThan(150_000)
    expect((await fetch(url, { method: "POST" })).status).toBe(404)
  })
})
