/** Dashboard and alert rules: every query asks for what a server measures, and Prometheus, where it is installed, evaluates all of them. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { everyMetric } from "@sibyl/telemetry"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { promtool, startPrometheus, whyNoPrometheus } from "./prometheusPrograms.ts"
import { namedIn } from "./promql.ts"
import { dashboardQueries, faultsIn, type Known, ruleQueries } from "./queries.ts"
import { servedDocument } from "./servedDocument.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../..", import.meta.url))
const bin = join(root, "packages/server/bin/sibyl.js")
const rulesFolder = join(root, "ops/prometheus")

const known: Known = new Map(
  everyMetric.flatMap(({ kind, labels, name }): ReadonlyArray<readonly [string, ReadonlySet<string>]> =>
    kind === "histogram"
      ? [
          [`${name}_bucket`, new Set([...labels, "le"])],
          [`${name}_sum`, new Set(labels)],
          [`${name}_count`, new Set(labels)]
        ]
      : [[name, new Set(labels)]]
  )
)

const queries = [...ruleQueries(), ...dashboardQueries()]

describe("the queries", () => {
  test("ask for metrics and labels that a server has", () => {
    expect(queries.length).toBeGreaterThan(40)
    expect(faultsIn(known, queries)).toEqual([])
  })

  test.each([
    ["sum(rate(sibyl_runs_totals[5m]))", "there is no sibyl_runs_totals"],
    ['sibyl_runs_total{outcomes="success"}', "sibyl_runs_total has no outcomes"],
    ["sum by (host) (sibyl_runs_total)", "none of its metrics has host"],
    ["sum(rate(sibyl_runs_total[5m])", "no query"],
    ["1 + 1", "it asks for no metric"]
  ])("would be refused: %s", (text, fault) => {
    expect(faultsIn(known, [{ place: "here", text }]).join()).toContain(fault)
  })

  test("of alerts are explained to operators, each of them", () => {
    const page = readFileSync(join(root, "docs/OPERATING.md"), "utf8")
    expect(ruleQueries().flatMap(({ place }) => (page.includes(`\`${place.replace("alert ", "")}\``) ? [] : [place]))).toEqual([])
  })

  test("show each metric that a server has somewhere on the dashboard", () => {
    const shown = new Set(dashboardQueries().flatMap(({ text }) => namedIn(text).selectors.map(({ metric }) => metric)))
    const left = everyMetric.filter(({ name }) => ![name, `${name}_bucket`, `${name}_sum`].some((each) => shown.has(each)))
    expect(left.map(({ name }) => name)).toEqual([])
  })
})

const Served = Schema.parseJson(Schema.Struct({ url: Schema.String, demo: Schema.Struct({ cryptoPriceId: Schema.String }) }))

const Top = Schema.parseJson(
  Schema.Struct({
    upSeconds: Schema.Number,
    runs: Schema.Struct({ inFlight: Schema.Number, perSecond: Schema.Record({ key: Schema.String, value: Schema.Number }) }),
    feeds: Schema.Array(Schema.Struct({ mode: Schema.String, running: Schema.Number })),
    upstreams: Schema.Array(Schema.Struct({ host: Schema.String, requestsPerSecond: Schema.Number })),
    process: Schema.Struct({ memoryBytes: Schema.Number })
  })
)

describe("a running server", () => {
  let folder: string
  let url: string
  let stop: () => Promise<void>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sibyl-watched-"))
    const env = { PATH: process.env["PATH"] }
    const options = { cwd: folder, env }
    const server = spawn(process.execPath, [bin, "serve", "--demo", "--json", "--port", "0", "--workers", "1"], options)
    const served = Schema.decodeUnknownSync(Served)(await servedDocument(server))
    url = served.url
    const key = readFileSync(join(folder, ".sibyl/demo-key"), "utf8").trim()
    const execute = (execInputs: string) =>
      fetch(`${url}/execute?${new URLSearchParams({ execProgramId: served.demo.cryptoPriceId, execInputs })}`, {
        headers: { authorization: `Bearer ${key}` }
      })
    expect((await execute("no inputs of this program")).status).toBe(599)
    const feed = spawn(process.execPath, [bin, "feed", "--url", url, "--mode", "all", "--period", "100"], { ...options, stdio: "ignore" })
    stop = async () => {
      for (const child of [feed, server]) {
        const ended = child.exitCode === null ? once(child, "exit") : undefined
        child.kill("SIGTERM")
        await ended
      }
    }
  })
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const metrics = async () => (await fetch(`${url}/metrics`)).text()

  test("is what sibyl top shows: its feeds, runs and upstreams", async () => {
    await expect.poll(metrics, { timeout: 30_000 }).toMatch(/^sibyl_feeds_running\{mode="PARALLEL"\} 1$/m)
    const look = async () => {
      const { stdout } = await run(process.execPath, [bin, "top", "--url", url, "--interval", "1000", "--json"], { cwd: folder })
      return Schema.decodeUnknownSync(Top)(stdout)
    }
    await expect.poll(async () => (await look()).runs.perSecond["success"] ?? 0, { timeout: 30_000 }).toBeGreaterThan(0)
    const view = await look()
    expect(view.feeds.map(({ mode, running }) => [mode, running])).toEqual([
      ["FIXED", 1],
      ["PARALLEL", 1],
      ["SEQUENTIAL", 1]
    ])
    expect(view.upstreams.map(({ host }) => host)).toContain("hermes.pyth.network")
    expect(view.process.memoryBytes).toBeGreaterThan(10_000_000)
  })

  test("shows every metric that the dashboard and the rules ask for", async () => {
    const text = await metrics()
    const named = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
    expect(everyMetric.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([])
  })

  describe.skipIf(whyNoPrometheus !== undefined)(
    whyNoPrometheus === undefined ? "with Prometheus" : `with Prometheus (skipped: ${whyNoPrometheus})`,
    () => {
      test("the rules and the configuration are valid, and alerts are raised when they should be", async () => {
        // A fault is a rejection with what the tool has said.
        const check = (...args: ReadonlyArray<string>) => run(promtool ?? "", args, { cwd: rulesFolder })
        await check("check", "rules", "rules.yml")
        await check("check", "config", "--syntax-only", "prometheus.yml")
        await check("test", "rules", "rules_test.yml")
        await expect(check("check", "rules", "prometheus.yml")).rejects.toThrow()
        const tested = new Set(
          [...readFileSync(join(rulesFolder, "rules_test.yml"), "utf8").matchAll(/^ {2}- interval: 1m\n {4}name: (\w+)$/gm)].map(
            ([, name]) => name
          )
        )
        expect(ruleQueries().filter(({ place }) => !tested.has(place.replace("alert ", "")))).toEqual([])
      })

      test("every query is evaluated, and the dashboard has something to show", async () => {
        const { host } = new URL(url)
        const { scrape_configs: _, ...others } = parse(readFileSync(join(rulesFolder, "prometheus.yml"), "utf8")) as Record<string, unknown>
        const configuration = JSON.stringify({
          ...others,
          rule_files: [join(rulesFolder, "rules.yml")],
          global: { scrape_interval: "1s", evaluation_interval: "1s" },
          scrape_configs: [{ job_name: "sibyl", static_configs: [{ targets: [host] }] }]
        })
        const prometheus = await startPrometheus(join(folder, "prometheus"), configuration)
        try {
          await expect
            .poll(() => prometheus.query('count_over_time(process_cpu_seconds_total{job="sibyl"}[1m]) > 3').catch(String), {
              timeout: 60_000
            })
            .toBe(1)
          const results = await Promise.all(queries.map(async ({ place, text }) => ({ place, text, series: await prometheus.query(text) })))
          expect(results.filter(({ series }) => typeof series === "string")).toEqual([])
          const shown = results.filter(({ place, series }) => place.startsWith("panel") && series !== 0)
          expect(shown.length).toBeGreaterThan(20)
          expect(await prometheus.query('up{job="sibyl"} == 1')).toBe(1)
        } finally {
          await prometheus.stop()
        }
      })
    }
  )
})
