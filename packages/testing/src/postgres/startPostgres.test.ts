/** The test server is a real one: it answers on loopback, and leaves nothing behind when its scope closes. */
import { Effect } from "effect"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findPostgres, whyNoPostgres } from "./postgresPrograms.ts"
import { startPostgres } from "./startPostgres.ts"

/** Asks whether it supports TLS, the first thing that clients may ask: PostgreSQL answers with one byte, S or N. */
const sslAnswer = async (port: number): Promise<string> => {
  const socket = connect({ port, host: "127.0.0.1" })
  try {
    socket.write(Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47))
    const [answer] = (await once(socket, "data")) as [Buffer]
    return answer.toString("latin1")
  } finally {
    socket.destroy()
  }
}

describe("the search for PostgreSQL", () => {
  it("searches the given PATH first, and gives the reason if there is none", () => {
    const found = findPostgres("/nowhere")
    expect(found === undefined).toBe(whyNoPostgres !== undefined && findPostgres() === undefined)
    if (found !== undefined) expect(found.initdb.replace(/initdb$/, "postgres")).toBe(found.postgres)
  })
})

const skipped = whyNoPostgres === undefined ? "" : ` (skipped: ${whyNoPostgres})`

describe.skipIf(whyNoPostgres !== undefined)(`a test server${skipped}`, () => {
  it("answers, stops and leaves nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sibyl-test-"))
    // The user that the server runs as must be able to enter.
    chmodSync(folder, 0o755)
    const used = Effect.gen(function* () {
      const { password, port, url } = yield* startPostgres({ folder })
      expect(yield* Effect.promise(() => sslAnswer(port))).toMatch(/^[SN]$/)
      expect(url("some")).toBe(`postgres://sibyl:${password}@127.0.0.1:${port}/some`)
      expect(readdirSync(folder)).toHaveLength(1)
      return port
    })
    const port = await Effect.runPromise(Effect.scoped(used))
    await expect(sslAnswer(port)).rejects.toThrow()
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
  })
})
