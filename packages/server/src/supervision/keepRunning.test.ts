/** A process that is kept running, and the search for the NATS server. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Logger, LogLevel, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { CommandFailed } from "../output/failure.ts"
import { keepRunning, type WorkingProcess } from "./keepRunning.ts"
import { natsProgram } from "../cluster/natsProgram.ts"

interface Pretended extends WorkingProcess {
  readonly end: (how: string) => void
  readonly asked: () => number
}

/** A process that ends when it is asked to, or told. */
const pretended = (pid: number): Pretended => {
  let end: (how: string) => void = () => {}
  let asked = 0
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  const stop = () => {
    asked += 1
    end("ended with code 0")
  }
  return { pid, ended, end, stop, asked: () => asked }
}

const until = async (holds: () => boolean): Promise<void> => {
  const deadline = performance.now() + 20_000
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(holds()).toBe(true)
}

const quiet = Logger.withMinimumLogLevel(LogLevel.None)

describe("a kept process", () => {
  it("is replaced when it ends or cannot start, and asked to end with its scope", async () => {
    const started: Array<Pretended> = []
    let failures = 1
    const start = Effect.suspend(() => {
      if (started.length === 1 && failures > 0) {
        failures -= 1
        return new CommandFailed({ message: "no room" })
      }
      const next = pretended(started.length + 1)
      started.push(next)
      return Effect.succeed(next)
    })
    const scope = await Effect.runPromise(Scope.make())
    const current = await Effect.runPromise(quiet(Scope.extend(keepRunning({ name: "it", start }), scope)))
    expect(current()?.pid).toBe(1)
    started[0]?.end("ended with signal SIGKILL")
    await until(() => current()?.pid === 2)
    expect(failures).toBe(0)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(started.map(({ asked }) => asked())).toEqual([0, 1])
    expect(current()).toBeUndefined()
  })

  it("that is being replaced while its scope closes is asked to end as soon as it works", async () => {
    const [first, second] = [pretended(1), pretended(2)]
    let begin: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    let starts = 0
    const start = Effect.promise(async () => {
      starts += 1
      if (starts === 1) return first
      await begun
      return second
    })
    const scope = await Effect.runPromise(Scope.make())
    await Effect.runPromise(quiet(Scope.extend(keepRunning({ name: "it", start }), scope)))
    first.end("ended with signal SIGKILL")
    await until(() => starts === 2)
    const closed = Effect.runPromise(Scope.close(scope, Exit.void))
    await new Promise((resolve) => setTimeout(resolve, 20))
    begin()
    await closed
    expect(second.asked()).toBe(1)
  })

  it("that never works is a failure, and nothing is left of it", async () => {
    const start = new CommandFailed({ message: "no room" })
    const exit = await Effect.runPromiseExit(Effect.scoped(keepRunning({ name: "it", start })))
    expect(JSON.stringify(exit)).toContain("no room")
  })
})

describe("nats-server", () => {
  it("is found on the path, then where packages install it; else one is told how to get it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sibyl-nats-"))
    try {
      const failure = await Effect.runPromise(Effect.flip(natsProgram(`${folder}:`, [])))
      expect(failure.message).toMatch(/^nats-server was not found.+apt-get install nats-server.+--cluster nats:\/\/HOST:PORT$/)
      await writeFile(join(folder, "nats-server"), "")
      expect(await Effect.runPromise(natsProgram(`/none:${folder}`, []))).toBe(join(folder, "nats-server"))
      expect(await Effect.runPromise(natsProgram("/none", [folder]))).toBe(join(folder, "nats-server"))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
