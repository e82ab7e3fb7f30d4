/** Finds Prometheus and its tool, where they are installed, and starts one for a test. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { freePort } from "@sibyl/testing"

const programOf = (name: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .concat("/usr/local/bin")
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

/** `promtool`, which checks rules. */
export const promtool = programOf("promtool")

const prometheus = programOf("prometheus")

/** Why tests with Prometheus cannot run here, for their title; undefined if they can. */
export const whyNoPrometheus: string | undefined =
  prometheus === undefined || promtool === undefined ? "no Prometheus is installed: prometheus and promtool were not found" : undefined

/** A Prometheus that scrapes. */
export interface RunningPrometheus {
  /** Evaluates a query now: the number of series that it has, or the error. */
  readonly query: (text: string) => Promise<number | string>
  readonly stop: () => Promise<void>
}

/** Starts one in a folder with a configuration; it listens on loopback. */
export const startPrometheus = async (folder: string, configuration: string): Promise<RunningPrometheus> => {
  const port = await freePort()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "prometheus.yml"), configuration)
  const child: ChildProcess = spawn(
    prometheus ?? "",
    [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`],
    { cwd: folder, stdio: "ignore" }
  )
  const query = async (text: string): Promise<number | string> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query`, { method: "POST", body: new URLSearchParams({ query: text }) })
    const answer = (await response.json()) as { readonly error?: string; readonly data?: { readonly result: ReadonlyArray<unknown> } }
    return answer.error ?? answer.data?.result.length ?? "no result"
  }
  return {
    query,
    stop: async () => {
      const ended = child.exitCode === null ? once(child, "exit") : undefined
      child.kill("SIGTERM")
      await ended
    }
  }
}
