/** The console in a real browser, against a demonstration server: runs, what goes wrong with them, nothing from outside, accessible. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { createClient, type ExecuteRequest } from "@sibyl/client"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, withoutBrowser } from "../testdata/chromium.ts"
import {
  type ConsoleInBrowser,
  consoleShots,
  executeInConsole,
  expectAccessible,
  startConsoleInBrowser
} from "../testdata/consoleInBrowser.ts"
import { runSibyl } from "../testdata/runSibyl.ts"

describe.skipIf(!hasBrowser)(`the console in a browser (${withoutBrowser})`, () => {
  let shown: ConsoleInBrowser
  beforeAll(async () => {
    shown = await startConsoleInBrowser()
  })
  afterAll(() => shown?.close())
  afterEach(() => shown.closePages())

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

  test.each([
    { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } }
  ] as const)("runs a program and checks its signature, $colorScheme", async ({ colorScheme, viewport }) => {
    const { faults, page } = await shown.open({ colorScheme, viewport })
    await executeInConsole(page, shown.key)
    await page.getByText("Signature valid").waitFor()
    const text = await page.locator(".answer").innerText()
    expect(text).toMatch(
      /Execution phase[^]*exit code\s+0[^]*gas\s+[\d,]+ of [\d,]+[^]*200\s+\d+\s+\d+ ms\s+GET https:\/\/\S+[^]*Tally phase[^]*used\s+[\d,]+[^]*drId\s+[0-9a-f]{64}/
    )
    await expectAccessible(page)
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ""])
    expect(faults).toEqual([])
    if (consoleShots !== undefined) await page.screenshot({ path: join(consoleShots, `console-execute-${colorScheme}.png`) })
    await page.close()
  })

  test("shows a changed answer as invalid", async () => {
    const { faults, page } = await shown.open()
    await page.route("**/execute?*", async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      answer.data.dataResult.blockHeight = String(BigInt(answer.data.dataResult.blockHeight) + 1n)
      await route.fulfill({ response, json: answer })
    })
    await executeInConsole(page, shown.key)
    await page.getByText("Signature invalid").waitFor()
    expect(await page.getByText("Signature valid").count()).toBe(0)
    expect(faults).toEqual([])
    await page.close()
  })

  test("runs a program by its id, also where none is offered", async () => {
    const [offered]: ReadonlyArray<{ readonly execProgramId: string; readonly execInputs: unknown }> = await (
      await fetch(`${shown.url}/examples.json`)
    ).json()
    const { faults, page } = await shown.open()
    await page.route("**/console/examples.json", (route) => route.fulfill({ json: [] }))
    await page.reload()
    await page.locator("#program").selectOption("*")
    await page.locator("#program-id").fill(` ${offered?.execProgramId} `)
    await page.locator("#inputs").fill(JSON.stringify(offered?.execInputs))
    await expectAccessible(page)
    await executeInConsole(page, shown.key)
    await page.getByText("Signature valid").waitFor()
    expect(faults).toEqual([])
    await page.close()
  })

  test("says so when an answer is no JSON", async () => {
    const { page } = await shown.open()
    await page.route("**/execute?*", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }))
    await executeInConsole(page, shown.key)
    await page.getByText("The service gave no answer: the answer has status 502 and is no JSON: <h1>Bad gateway</h1>").waitFor()
    await page.close()
  })

  test("names the limit that a phase reached", async () => {
    const told = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await runSibyl([...args, "--json"], { cwd: shown.folder })).stdout) as {
        readonly projectId: string
        readonly key: string
      }
    const { projectId } = await told("project", "create", "--org", "frugal", "--exec-gas", "6000000000000")
    await told("credits", "grant", projectId, "1000")
    const { key: frugal } = await told("key", "create", projectId)
    const { faults, page } = await shown.open()
    await executeInConsole(page, frugal)
    await page.getByText("limits reached").waitFor()
    expect(await page.locator(".answer").innerText()).toMatch(/Execution phase[^]*limits reached\s+execGasLimit \(6,000,000,000,000\)/)
    await expectAccessible(page)
    // A run that failed has a status of its own, of which the browser tells.
    expect(faults.filter((fault) => !fault.includes("599"))).toEqual([])
    await page.close()
  })

  test("saves a run as a file, which another console opens and verifies, and finds changed", async () => {
    const { page } = await shown.open()
    await executeInConsole(page, shown.key)
    await page.getByText("Signature valid").waitFor()
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save run as a file" }).click()])
    expect(download.suggestedFilename()).toMatch(/^sibyl-run-[0-9a-f]{12}\.json$/)
    const text = await readFile(await download.path(), "utf8")
    expect(text).not.toContain(shown.key)
    await page.close()
    const { faults, page: other } = await shown.open({ colorScheme: "dark", viewport: { width: 390, height: 844 } })
    const give = (name: string, content: string) =>
      other.getByLabel("Open a run that was saved").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) })
    await give("run.json", text)
    await other.getByText("Signature valid").waitFor()
    expect(await other.locator(".answer").innerText()).toMatch(/Read from run\.json[^]*Execution phase[^]*drId\s+[0-9a-f]{64}/)
    await expectAccessible(other)
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
    const { faults, page } = await shown.open()
    await page.getByLabel("Recording, to run it again").check()
    await executeInConsole(page, shown.key)
    await page.getByText("Signature valid").waitFor()
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save recording" }).click()])
    expect(download.suggestedFilename()).toMatch(/^sibyl-recording-[0-9a-f]{12}\.json$/)
    const { code, stderr, stdout } = await runSibyl(["replay", await download.path()], { cwd: shown.folder })
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/everything came out as it was recorded\n$/)
    await expectAccessible(page)
    expect(faults).toEqual([])
    await page.close()
  })

  test("says that a key is wrong", async () => {
    const { page } = await shown.open()
    await executeInConsole(page, "sibyl_wrong")
    await page.getByText("Refused").waitFor()
    expect(await page.locator(".answer").innerText()).toMatch(/401\s+kind\s+Unauthorized/)
    expect(await page.getByRole("button", { name: "Save run as a file" }).count()).toBe(0)
    await page.close()
  })

  test.each([
    { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } }
  ] as const)("shows past runs page by page, a program, and the project, $colorScheme", async ({ colorScheme, viewport }) => {
    const { faults, page } = await shown.open({ colorScheme, viewport })
    const oracle = createClient({ url: new URL(shown.url).origin, auth: shown.key })
    const examples = (await (await fetch(`${shown.url}/examples.json`)).json()) as ReadonlyArray<ExecuteRequest>
    // A data request of its own for each case: the tally inputs are part of it.
    const [example] = examples
    if (example === undefined) throw new Error("the console offers no program")
    const { execInputs, execProgramId } = example
    const request = { execProgramId, execInputs, tallyInputs: colorScheme }
    const { answer } = await oracle.execute(request)
    // One after the other: a loaded machine may refuse some of thirty at once.
    for (let further = 0; further < 29; further += 1) await oracle.execute(request)
    const { drId } = answer.data.dataResult
    await page.getByRole("link", { name: "History" }).click()
    await page.locator("#history-key").fill(shown.key)
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
    await expectAccessible(page)
    await page.getByRole("link", { name: "Programs" }).click()
    await page.locator("#programs-program").fill(execProgramId)
    await page.getByRole("button", { name: "Show program" }).click()
    await expect.poll(() => page.locator("[aria-label='Last runs'] tbody tr").count()).toBe(10)
    const { sizeBytes } = await oracle.program(execProgramId)
    expect(await page.locator("main").innerText()).toMatch(
      new RegExp(`size\\s+${sizeBytes.toLocaleString("en-US")} bytes[^]*imports clock_time_get`)
    )
    await expectAccessible(page)
    await page.getByRole("link", { name: "Project", exact: true }).click()
    // From the keyboard, without leaving the field.
    await runSibyl(["program", "name", "v1.console.acme", execProgramId], { cwd: shown.folder })
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
    await expectAccessible(page)
    expect(faults).toEqual([])
    await page.close()
  })

  test("is small, allows nothing from outside, and does not answer other methods", async () => {
    const answers = await Promise.all(["", "/main.js", "/main.css", "/examples.json"].map((path) => fetch(shown.url + path)))
    const policies = answers.map(({ headers }) => headers.get("content-security-policy") ?? "")
    for (const policy of policies) expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    expect(policies.join(" ")).not.toContain("unsafe")
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect(bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)).toBeLessThan(150_000)
    expect((await fetch(shown.url, { method: "POST" })).status).toBe(404)
  })
})
