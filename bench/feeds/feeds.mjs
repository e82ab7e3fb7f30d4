/** The benchmark of feeds: B10, B11, B14, and the limits of the whole service. Each case runs in its own process, one after the other. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { heldFeeds } from "./held.mjs"

const run = promisify(execFile)

const caseOf = async (file, settings) => {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const { stdout, stderr } = await run(process.execPath, [path, JSON.stringify(settings ?? {})], { timeout: 180_000 })
  if (stderr !== "") process.stderr.write(stderr)
  return JSON.parse(stdout)
}

const percent = (share) => Math.min(100, Math.floor(share * 10_000) / 100)
const count = (value) => value.toLocaleString("en-US")

/** The rows of every case of running feeds. */
const feedRows = (id, what, { p99Ms, processorUsPerRun, startedShare }, targets = {}) => [
  {
    id: `${id} share`,
    what: `${what}: share of the runs that started`,
    value: percent(startedShare),
    unit: "%",
    ...targets.started
  },
  { id, what: `${what}: lateness, p99`, value: p99Ms, unit: "ms", ...targets.late },
  { id: `${id} cpu`, what: `${what}: processor time of a run`, value: processorUsPerRun, unit: "µs" }
]

const scheduler = async () => {
  const measured = await caseOf("wheel.mjs", { feeds: 100_000, seconds: 10, startSeconds: 12 })
  return feedRows("B10", "100,000 feeds of 1 s, the run a no-op", measured, {
    started: { reach: 99.9, aim: 100 },
    late: { reach: 5, aim: 2, atMost: true }
  })
}

const engines = [
  { id: "engine", run: "noop", feeds: 10_000, what: "feeds by feed.start, the execution a no-op" },
  { id: "remembered", run: "remembered", feeds: 2_000, what: "feeds by feed.start with returnLastResult" },
  { id: "signed", run: "signed", feeds: 250, what: "feeds by feed.start, signed and charged" }
]

const engine = async ({ feeds, id, run, what }) =>
  feedRows(id, `${count(feeds)} ${what}`, await caseOf("engine.mjs", { feeds, run, seconds: 8, startSeconds: 6 }))

const sockets = async (run, what) =>
  feedRows(
    `sockets ${run}`,
    `1,000 connections over loopback, ${what}`,
    await caseOf("sockets.mjs", { connections: 1_000, run, seconds: 8, startSeconds: 4 })
  )

/** The clients are opened at 250 a second, and the feeds started as fast. */
const heldOnDisk = async (tell) => {
  const measure = (feeds) => caseOf("sockets.mjs", { connections: feeds, run: "disk", seconds: 8, startSeconds: Math.max(4, feeds / 250) })
  const { feeds, measured } = await heldFeeds(measure, { first: 250, step: 125, tell })
  const rows = [
    {
      id: "B14",
      what: "feeds of 1 s, signed, charged on disk, over sockets, that hold 99.9 % of starts with p99 below 20 ms",
      value: feeds,
      unit: "feeds",
      reach: 2_000,
      aim: 5_000
    }
  ]
  return measured === undefined
    ? rows
    : [...rows, { id: "B14 late", what: `${count(feeds)} such feeds: lateness, p99`, value: measured.p99Ms, unit: "ms" }]
}

const frames = async () => {
  const { long, small } = await caseOf("frames.mjs")
  return [
    {
      id: "B11",
      what: `${small.bytes}-byte messages together / one write each`,
      value: small.together / small.single,
      unit: "times",
      reach: 8
    },
    {
      id: "B11 rate",
      what: `${small.bytes}-byte messages a second, together`,
      value: small.together,
      unit: "/s",
      aim: 1_000_000
    },
    {
      id: "B11 long",
      what: `${count(long.bytes)}-byte messages together / one write each`,
      value: long.together / long.single,
      unit: "times"
    },
    {
      id: "B11 long rate",
      what: `${count(long.bytes)}-byte messages a second, together`,
      value: long.together,
      unit: "/s"
    }
  ]
}

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  const rows = []
  tell("B10: 100,000 feeds on the scheduler (25 s)")
  rows.push(...(await scheduler()))
  for (const settings of engines) {
    tell(`${count(settings.feeds)} ${settings.what} (18 s)`)
    rows.push(...(await engine(settings)))
  }
  tell("1,000 connections over loopback (2 x 20 s)")
  rows.push(...(await sockets("noop", "the execution a no-op")), ...(await sockets("signed", "signed and charged")))
  tell("B14: feeds that hold their starts on disk, doubled, then halved (about 3 minutes)")
  rows.push(...(await heldOnDisk(tell)))
  tell("B11: messages a second of one connection (22 s)")
  rows.push(...(await frames()))
  return rows
}
