/** The console's feeds in a real browser, against a demonstration server: started, drawn, stopped, and what goes wrong with them. */
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, withoutBrowser } from "../testdata/chromium.ts"
import {
  type ConsoleInBrowser,
  consoleShots,
  executeInConsole,
  expectAccessible,
  startConsoleInBrowser
} from "../testdata/consoleInBrowser.ts"
import { type CuttingProxy, startCuttingProxy } from "../testdata/cuttingProxy.ts"
import { runSibyl } from "../testdata/runSibyl.ts"

const shortestTicketMs = 1_000

describe.skipIf(!hasBrowser)(`the console's feeds in a browser (${withoutBrowser})`, () => {
  let shown: ConsoleInBrowser
  let proxy: CuttingProxy

  beforeAll(async () => {
    shown = await startConsoleInBrowser()
    proxy = await startCuttingProxy(new URL(shown.url).origin)
  })
  afterAll(async () => {
    await proxy?.close()
    await shown?.close()
  })
  afterEach(() => shown.closePages())

  const openFeeds = async (options: Parameters<Browser["newPage"]>[0] = {}) => {
    const opened = await shown.open(options, `${proxy.url}/console#feeds`)
    await opened.page.locator("#feed-key").fill(shown.key)
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
    for (const mode of modes) await start(page, mode, consoleShots === undefined ? 50 : 10)
    for (const mode of modes) await waitForResults(page, mode, 14)
    for (const mode of modes) {
      const section = page.locator(`section[aria-label*="${mode}"]`)
      expect(await section.locator(".tick").count()).toBeGreaterThan(0)
      expect(await section.locator(".run").count()).toBeGreaterThan(0)
      expect(await section.innerText()).toMatch(/0 failures, 0 gaps, [\d,]+ credits used, [\d,]+ remaining/)
    }
    expect(await page.locator(".chart canvas").count()).toBe(1)
    expect(await page.locator("#charted option").allInnerTexts()).toEqual(["index", "credits remaining"])
    await expectAccessible(page)
    if (consoleShots !== undefined) await page.screenshot({ path: join(consoleShots, `console-feeds-${colorScheme}.png`), fullPage: true })
    await page.locator("#charted").selectOption("credits remaining")
    for (const mode of modes) await stop(page, mode)
    await page.getByText("Not connected.").waitFor()
    expect(await page.getByText("Ended: stopped").count()).toBe(3)
    const [stopped] = await Promise.all(modes.map((mode) => results(page, mode)))
    await page.getByRole("link", { name: "Execute" }).click()
    await executeInConsole(page, shown.key)
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
    await expectAccessible(page)
    // Only what is in sight is drawn: hundreds of strips would keep the page busy.
    const drawn = (card: number): Promise<boolean> =>
      cards.nth(card).evaluate((feed) => feed.querySelector("h2")?.checkVisibility({ contentVisibilityAuto: true }) ?? false)
    expect(await drawn(started - 1)).toBe(false)
    await cards.nth(started - 1).scrollIntoViewIfNeeded()
    await expect.poll(() => drawn(started - 1)).toBe(true)
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
    proxy.pointAt(shown.url)
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
    const told = async (...args: ReadonlyArray<string>) => JSON.parse((await runSibyl([...args, "--json"], { cwd: shown.folder })).stdout)
    const { projectId } = await told("project", "create", "--org", "brief")
    await told("credits", "grant", projectId, "100000")
    const { apiKeyId, key: brief } = await told("key", "create", projectId)
    const [, { execProgramId }] = await (await fetch(`${shown.url}/examples.json`)).json()
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
    await page.locator("#feed-key").fill(shown.key)
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
