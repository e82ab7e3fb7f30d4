/** The packages as their users get them: packed, installed with plain npm into an empty folder, and run from there. */
import { execFile, spawn } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { ExecuteResponse, InfoRecord } from "@sibyl/core"
import { verify } from "@sibyl/core/verify"
import { dial } from "@sibyl/testing"
import { startMarket } from "@sibyl/testing/market"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

const run = promisify(execFile)
const root = fileURLToPath(new URL("..", import.meta.url))
const onBun = typeof globalThis.Bun !== "undefined"
const bun = createRequire(import.meta.url).resolve("bun/bin/bun.exe")
const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestOf = async (folder: string): Promise<Manifest> => JSON.parse(await readFile(join(folder, "package.json"), "utf8"))

const publicFolders = async (): Promise<ReadonlyArray<string>> => {
  const packages = await readdir(join(root, "packages"))
  return [...packages.map((name) => join(root, "packages", name)), join(root, "programs")]
}

/** What an example says first to a client that opens its WebSocket. */
const firstMessage = async (url: string, key: string): Promise<string | undefined> => {
  const { client } = await dial({ url: `${url}/ws/v1`, headers: { authorization: `Bearer ${key}` } })
  const message = await client?.until(() => client.messages[0])
  client?.reset()
  return message?.text
}

/** Starts an installed example and asks it for a price. */
const askExample = async (command: string, args: ReadonlyArray<string>, cwd: string, marketUrl: string) => {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PORT: "0", PRICE_UPSTREAM: marketUrl, ORACLE_DATABASE: join(cwd, "oracle.sqlite") },
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()))
      child.once("exit", (code) => reject(new Error(`the example ended with ${code}`)))
    })
    const { key, programId, url } = Schema.decodeUnknownSync(
      Schema.Struct({ key: Schema.String, programId: Schema.String, url: Schema.String })
    )(JSON.parse(line))
    const query = new URLSearchParams({
      execProgramId: programId,
      execInputs: JSON.stringify({ id: btcUsd, output_format: "json" }),
      encoding: "json"
    })
    const response = await fetch(`${url}/execute?${query}`, { headers: { authorization: `Bearer ${key}` } })
    const info = Schema.decodeUnknownSync(InfoRecord)(await (await fetch(`${url}/info`)).json())
    const own = await (await fetch(new URL("/", url))).text()
    expect(await firstMessage(url, key)).toContain("\"method\":\"authorized\"")
    const answered: unknown = await response.json()
    return { answered, response: Schema.decodeUnknownSync(ExecuteResponse)(answered), info, own }
  } finally {
    const exited = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGTERM")
    await exited
  }
}

// Packing and npm do not depend on the runtime that runs this test, and the Bun example below runs on Bun anyway.
describe.skipIf(onBun)("packed packages", () => {
  let folder: string
  let market: Awaited<ReturnType<typeof startMarket>>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-packed-"))
    market = await startMarket({ seed: 7 })
    const tarballs: Array<string> = []
    for (const source of await publicFolders()) {
      const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: source })
      const [{ filename }] = JSON.parse(stdout)
      tarballs.push(`./${filename}`)
    }
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs, "effect@3", "express@5"], { cwd: folder })
  }, 300_000)
  afterAll(async () => {
    await market.close()
    await rm(folder, { recursive: true, force: true })
  })

  const example = async (name: string): Promise<string> => {
    const target = join(folder, name)
    await mkdir(target)
    await cp(join(root, "examples", name), target, { recursive: true, filter: (path) => !path.endsWith("package.json") })
    return target
  }

  test("effect and express are peers, so that an embedder has one of each", async () => {
    for (const source of await publicFolders()) {
      const { dependencies, name } = await manifestOf(source)
      expect(Object.keys(dependencies ?? {}), name).not.toContain("effect")
      expect(Object.keys(dependencies ?? {}), name).not.toContain("express")
    }
    const installed = await run("npm", ["ls", "effect", "express", "--all", "--parseable"], { cwd: folder })
    const places = installed.stdout.split("\n").filter((line) => /node_modules\/(effect|express)$/.test(line))
    expect(places.map((place) => place.slice(folder.length))).toEqual(["/node_modules/effect", "/node_modules/express"])
  })

  test("the Express example runs from the tarballs", async () => {
    const { answered, info, own, response } = await askExample("node", ["server.js"], await example("embed-express"), market.url)
    expect(own).toBe("my own app")
    expect(response.data.result).toMatchObject({ price: expect.any(Number) })
    expect(verify(answered, { publicKey: info.publicKey })).toMatchObject({ ok: true })
  })

  test("the Bun example runs from the tarballs", async () => {
    const { answered, info, own } = await askExample(bun, ["server.ts"], await example("embed-bun"), market.url)
    expect(own).toBe("my own app")
    expect(verify(answered, { publicKey: info.publicKey })).toMatchObject({ ok: true })
  })

  test("the installed command knows its version", async () => {
    const { stdout } = await run(join(folder, "node_modules", ".bin", "sibyl"), ["--version"], { cwd: folder })
    expect(stdout.trim()).toMatch(/^0\.1\.0$/)
  })

  test("the installed command makes, builds and tests a program, to the id that it has here", async () => {
    const sibyl = (...args: ReadonlyArray<string>) =>
      run(join(folder, "node_modules", ".bin", "sibyl"), args, { cwd: folder })
    await sibyl("new", "my-feed")
    await expect(sibyl("build", "my-feed")).rejects.toMatchObject({
      code: 1,
      stderr: "sibyl: the AssemblyScript compiler is not installed: run npm install in my-feed\n"
    })
    // What the scaffold's package.json names besides the packages that are there.
    const { devDependencies } = JSON.parse(await readFile(join(folder, "my-feed", "package.json"), "utf8"))
    const compiler = `assemblyscript@${devDependencies.assemblyscript}`
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", compiler], { cwd: folder })
    const { programId } = JSON.parse((await sibyl("build", "my-feed", "--json")).stdout)
    expect((await sibyl("test", "my-feed")).stdout).toMatch(/^btc-usd +passed /m)
    const here = [join(root, "packages", "server", "bin", "sibyl.js"), "build", join(folder, "my-feed"), "--json"]
    await rm(join(folder, "node_modules", "assemblyscript"), { recursive: true })
    expect(JSON.parse((await run("node", here)).stdout)).toMatchObject({ programId })
  }, 300_000)

  test("types resolve for a strict TypeScript user", async () => {
    const source = `import { openService, type Service } from "@sibyl/core"
import { sibyl } from "@sibyl/adapter-express"
import { openSibyl } from "@sibyl/server"
const oracle = await openSibyl({ database: "x.sqlite" })
export const service: Service = oracle.service
export const handler = sibyl(service)
export const open: typeof openService = openService
`
    await writeFile(join(folder, "user.ts"), source)
    const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc")
    const types = join(root, "node_modules", "@types")
    await run("node", [
      tsc, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck",
      "--typeRoots", types, "--types", "node", "user.ts"
    ], { cwd: folder })
    expect((await readdir(join(folder, "node_modules", "@sibyl", "core"))).toSorted()).toContain("dist")
  })
})
