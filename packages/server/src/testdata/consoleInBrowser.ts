/** For tests: the console of a demonstration server in a real browser. */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { expect } from "vitest"
import { launchBrowser } from "./chromium.ts"
import { StartedServer } from "./startedServer.ts"

/** A page of the console, and what it said in the browser's console or asked for elsewhere. */
export interface OpenedConsole {
  readonly page: Page
  readonly faults: Array<string>
}

/** A demonstration server in a folder of its own, and a browser. */
export interface ConsoleInBrowser {
  /** The folder of the server. */
  readonly folder: string
  /** The address of the console. */
  readonly url: string
  /** The API key of the demonstration. */
  readonly key: string
  /** Opens the console, or that of another address. */
  readonly open: (options?: Parameters<Browser["newPage"]>[0], address?: string) => Promise<OpenedConsole>
  /** Closes all pages, also after a failure: the feeds of a page that stays open would put the runs of later tests out of the newest ones. */
  readonly closePages: () => Promise<void>
  /** Ends both, and removes the folder. */
  readonly close: () => Promise<void>
}

const openConsole = async (browser: Browser, options: Parameters<Browser["newPage"]>[0], address: string): Promise<OpenedConsole> => {
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

/** Starts both. */
export const startConsoleInBrowser = async (): Promise<ConsoleInBrowser> => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-console-"))
  const server = new StartedServer("node", ["serve", "--demo", "--port", "0"], folder)
  await server.until(/Ctrl-C stops the server/)
  const url = /^ {2}console +(\S+)$/m.exec(server.output)?.[1] ?? "no console"
  const browser = await launchBrowser()
  return {
    folder,
    url,
    key: (await readFile(join(folder, ".sibyl", "demo-key"), "utf8")).trim(),
    open: (options = {}, address = url) => openConsole(browser, options, address),
    closePages: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()))
    },
    close: async () => {
      await browser.close()
      await server.stop("SIGKILL")
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Has the program run with a key, with the keyboard alone, from the field of the key. */
export const executeInConsole = async (page: Page, withKey: string): Promise<void> => {
  await page.locator("#key").fill(withKey)
  await page.keyboard.press("Enter")
}

/** Expects that nothing of a page is inaccessible, and that it is no wider than its window. */
export const expectAccessible = async (page: Page): Promise<void> => {
  // Evaluated by the test's own protocol: the page's policy allows no script but its own.
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"))
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: ReadonlyArray<{ id: string }> }> } }
    return (await axe.run()).violations.map(({ id }) => id)
  })
  expect(violations).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
}

/** Where pictures of the pages are wanted. */
export const consoleShots = process.env["SIBYL_SCREENSHOTS"]
