/** For tests: Debian's browser, driven from here. */
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const executablePath = "/usr/bin/chromium"

/** Debian's browser, which `.ci/run` installs; elsewhere there is nothing to look at a page with. */
export const hasBrowser = existsSync(executablePath)

/** What a skipped test says. */
export const withoutBrowser = `skipped without ${executablePath}`

const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** Starts it, with further arguments of its command line. */
export const launchBrowser = (...args: ReadonlyArray<string>): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: [...quiet, ...args] })
