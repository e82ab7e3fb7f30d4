/** Starts the servers and the loads of the benchmark, each in its own process, and measures them in turns. */
import { fork, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url))
const bun = fileURLToPath(new URL("../../node_modules/.bin/bun", import.meta.url))

/** What a server of the benchmark says first, a line of JSON. */
export const firstLine = (child) =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (text.includes("\n")) resolve(JSON.parse(text.slice(0, text.indexOf("\n"))))
    })
    child.once("exit", (code) => reject(new Error(`a server of the benchmark ended with ${code}`)))
  })

/** Starts a server of a script, on Bun if its kind says so; returns its address, the paths to request and how to stop it. */
export const startServer = async (kind, settings = {}, script = "server.mjs") => {
  const child = spawn(kind.endsWith("bun") ? bun : process.execPath, [pathOf(script), kind, JSON.stringify(settings)], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const facts = await firstLine(child)
  const stop = () => child.kill("SIGTERM")
  /** What it prints while it stops. */
  const stopAndHear = async () => {
    let text = ""
    child.stdout.on("data", (chunk) => (text += chunk))
    stop()
    await new Promise((resolve) => child.stdout.once("close", resolve))
    return JSON.parse(text)
  }
  return { ...facts, pid: child.pid, stop, stopAndHear }
}

/** The rate and the latencies of one path, by default with 32 connections that each wait for their response. */
export const load = (settings) =>
  new Promise((resolve, reject) => {
    const child = fork(pathOf("load.mjs"), [JSON.stringify(settings)])
    child.once("message", resolve)
    child.once("exit", (code) => code !== 0 && reject(new Error(`the load ended with ${code}`)))
  })

const median = (list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)]

/** Measures several cases in turns, so that other load on the machine affects all of them; the medians without the first round. */
export const inTurns = async (rounds, cases) => {
  const values = cases.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, one] of cases.entries()) values[at].push(await one(round))
  }
  return values.map((list) => median(list.slice(1)))
}
