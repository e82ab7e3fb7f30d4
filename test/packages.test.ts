/** The packages as users get them: packed, installed with plain npm into an empty folder, and run from there. */
import { execFile, spawn } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { ExecuteResponse, InfoRecord, programIdOf } from "@sibyl/core"
import { verify } from "@sibyl/core/verify"
import { dial } from "@sibyl/testing"
import { startMarket } from "@sibyl/devkit/market"
import { Schema } from "effect"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

const run = promisify(execFile)
const root = fileURLToPath(new URL("..", import.meta.url))
const onBun = typeof globalThis.Bun !== "undefined"
const bun = createRequire(import.meta.url).resolve("bun/bin/bun.exe")
const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"

interface Manifest {
  readonly name: string
  readonly license?: string
  readonly repository?: { readonly url: string; readonly directory: string }
  readonly sideEffects?: unknown
  readonly version?: string
  readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestOf = async (folder: string): Promise<Manifest> => JSON.parse(await readFile(join(folder, "package.json"), "utf8"))

const publicFolders = async (): Promise<ReadonlyArray<string>> => {
  const packages = await readdir(join(root, "packages"))
  return [...packages.map((name) => join(root, "packages", name)), join(root, "programs")]
}

/** The first message of an example to a client that opens its WebSocket. */
const firstMessage = async (url: string, key: string): Promise<string | undefined> => {
  const { client } = await dial({ url: `${url}/ws/v1`, headers: { authorization: `Bearer ${key}` } })
  const message = await client?.until(() => client.messages[0])
  client?.reset()
  return message?.text
}

/** Starts an installed example and requests a price from it. */
const askExample = async (command: string, args: ReadonlyArray<string>, cwd: string, marketUrl: string) => {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PORT: "0", PRICE_UPSTREAM: marketUrl },
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
    expect(await firstMessage(url, key)).toContain('"method":"authorized"')
    const answer: unknown = await response.json()
    const verdict = verify(answer, { publicKey: info.publicKey })
    return { response: Schema.decodeUnknownSync(ExecuteResponse)(answer), verdict, own, key }
  } finally {
    const exited = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGTERM")
    await exited
  }
}

/** Starts the pasted program, runs the command that it prints as a shell would, and ends it. */
const runPasted = async (cwd: string) => {
  const env = { ...process.env, PORT: "0" }
  const child = spawn("node", ["server.mjs"], { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
  const exited = new Promise((resolve) => child.once("exit", resolve))
  try {
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()))
      child.once("exit", (code) => reject(new Error(`the pasted program ended with ${code}`)))
    })
    const { stdout } = await run("sh", ["-c", line])
    const answer: unknown = JSON.parse(stdout)
    return { answer, key: /Bearer (\S+)'/.exec(line)?.[1] }
  } finally {
    child.kill("SIGTERM")
    await exited
  }
}

// Packing and npm do not depend on the runtime of this test, and the Bun example below runs on Bun anyway.
describe.skipIf(onBun)("packed packages", () => {
  let folder: string
  let market: Awaited<ReturnType<typeof startMarket>>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-packed-"))
    market = await startMarket({ seed: 7 })
    // As the README describes it for a clone.
    const [, places = ""] = /npm pack((?: -w [a-z]+)+) --pack-destination/.exec(await readFile(join(root, "README.md"), "utf8")) ?? []
    const packing = ["pack", "--json", "--ignore-scripts", ...places.trim().split(" "), "--pack-destination", folder]
    const packed: ReadonlyArray<{ readonly filename: string }> = JSON.parse((await run("npm", packing, { cwd: root })).stdout)
    expect(packed).toHaveLength((await publicFolders()).length)
    const tarballs = packed.map(({ filename }) => `./${filename}`)
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
    const target = await example("embed-express")
    const { key, own, response, verdict } = await askExample("node", ["server.js"], target, market.url)
    expect(own).toBe("my own app")
    expect(response.data.result).toMatchObject({ price: expect.any(Number) })
    expect(verdict).toMatchObject({ ok: true })
    expect((await askExample("node", ["server.js"], target, market.url)).key, "the key after a restart").toBe(key)
  })

  test("the Bun example runs from the tarballs", async () => {
    const { own, verdict } = await askExample(bun, ["server.ts"], await example("embed-bun"), market.url)
    expect(own).toBe("my own app")
    expect(verdict).toMatchObject({ ok: true })
  })

  test("the installed command knows its version", async () => {
    const { stdout } = await run(join(folder, "node_modules", ".bin", "sibyl"), ["--version"], { cwd: folder })
    expect(stdout.trim()).toMatch(/^0\.1\.0$/)
  })

  test("the installed command makes, builds and tests a program, to the id that it has here", async () => {
    const sibyl = (...args: ReadonlyArray<string>) => run(join(folder, "node_modules", ".bin", "sibyl"), args, { cwd: folder })
    await sibyl("new", "my-feed")
    await expect(sibyl("build", "my-feed")).rejects.toMatchObject({
      code: 1,
      stderr: "sibyl: the AssemblyScript compiler is not installed: run npm install in my-feed\n"
    })
    // The scaffold's dependencies besides the packages in this repository.
    const { devDependencies } = JSON.parse(await readFile(join(folder, "my-feed", "package.json"), "utf8"))
    const compiler = `assemblyscript@${devDependencies.assemblyscript}`
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", compiler], { cwd: folder })
    const { programId } = JSON.parse((await sibyl("build", "my-feed", "--json")).stdout)
    expect((await sibyl("test", "my-feed")).stdout).toMatch(/^btc-usd +passed /m)
    const here = [join(root, "packages", "server", "bin", "sibyl.js"), "build", join(folder, "my-feed"), "--json"]
    await rm(join(folder, "node_modules", "assemblyscript"), { recursive: true })
    expect(JSON.parse((await run("node", here)).stdout)).toMatchObject({ programId })
  }, 300_000)

  test("every tarball states its repository, its licence and its description", async () => {
    const licence = await readFile(join(root, "LICENSE"), "utf8")
    const { repository: ours } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
    for (const source of await publicFolders()) {
      const { license, name, repository, sideEffects } = await manifestOf(source)
      const installed = join(folder, "node_modules", name)
      expect(repository, name).toEqual({ ...ours, directory: relative(root, source).replaceAll("\\", "/") })
      expect([license, sideEffects === undefined], name).toEqual(["Apache-2.0", false])
      expect(await readFile(join(installed, "LICENSE"), "utf8"), name).toBe(licence)
      expect(await readFile(join(installed, "README.md"), "utf8")).toMatch(new RegExp(`^# ${name}\n`))
    }
  })

  test("the README's Express program works where it is pasted, and again after a restart", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8")
    const section = readme.slice(readme.indexOf("\n## Embed it"))
    const [, install = "", program = ""] = /```sh\n(.+?)```.+?```js\n(.+?)```/s.exec(section) ?? []
    // The packages named in the install command are installed here from their tarballs; a folder made by `npm init -y` has no module type.
    const named = install.match(/@sibyl\/[a-z-]+/g) ?? []
    expect(named).toHaveLength(4)
    for (const name of named) expect((await manifestOf(join(folder, "node_modules", name))).name).toBe(name)
    const pasted = join(folder, "pasted")
    await mkdir(pasted)
    await run("npm", ["init", "-y"], { cwd: pasted })
    await writeFile(join(pasted, "server.mjs"), program)
    const first = await runPasted(pasted)
    expect(first.answer).toMatchObject({ _tag: "ExecuteResponse", data: { result: { price: expect.any(Number) } } })
    expect(await runPasted(pasted)).toMatchObject({ key: first.key, answer: { _tag: "ExecuteResponse" } })
  })

  test("an embedder gets the example programs by name: bytes, path, id, module", async () => {
    const script = `import { examplePrograms, programBytes, programIdOf, programPath } from "@sibyl/programs"
import { readFile } from "node:fs/promises"
const told = []
for (const { name } of examplePrograms) {
  const module = await readFile(new URL(import.meta.resolve("@sibyl/programs/" + name + ".wasm")))
  const same = [await readFile(programPath(name)), await programBytes(name)].every((bytes) => module.equals(bytes))
  told.push({ name, id: await programIdOf(name), same, hex: module.toString("hex") })
}
console.log(JSON.stringify(told))`
    const { stdout } = await run("node", ["--input-type=module", "-e", script], { cwd: folder, maxBuffer: 2 ** 24 })
    const told: ReadonlyArray<{ name: string; id: string; same: boolean; hex: string }> = JSON.parse(stdout)
    expect(told.map(({ name }) => name)).toEqual(["crypto-price", "metals-index", "equity-session"])
    for (const { hex, id, same } of told) expect([same, programIdOf(Buffer.from(hex, "hex"))]).toEqual([true, id])
  })

  test("the verifier is a small entry of its own that needs no runtime: bundled, it checks an answer in a bare realm", async () => {
    const bundle = await build({
      stdin: { contents: `export * from "@sibyl/core/verify"`, resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: "iife",
      globalName: "sibyl",
      platform: "browser"
    })
    const [code = ""] = bundle.outputFiles.map(({ text }) => text)
    const inputs = Object.keys(bundle.metafile.inputs).filter((path) => path.includes("node_modules"))
    expect(inputs.length).toBeGreaterThan(10)
    expect(inputs.filter((path) => !/\/(?:@noble\/(?:curves|hashes)|@sibyl\/core\/dist\/(?:verify|domain))\b/.test(path))).toEqual([])
    expect(Object.values(bundle.metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
    expect(gzipSync(code).length).toBeLessThan(24_000)
    // A realm with only the language, and what every browser adds.
    const realm = createContext({ TextEncoder, TextDecoder })
    const recorded = await readFile(join(root, "examples", "evm-verifier", "response.json"), "utf8")
    const check = (change: string) =>
      runInContext(
        `${code};(() => { const { publicKey, response } = JSON.parse(${JSON.stringify(recorded)}); ${change};
        return JSON.stringify(sibyl.verify(response, { publicKey }).ok) })()`,
        realm
      )
    expect(check("")).toBe("true")
    expect(check("response.data.dataResult.exitCode = 7")).toBe("false")
  })

  describe("types", () => {
    /** Compiles files in the folder; returns the compiler's output. TypeScript 7 checks the libraries' own declarations too. */
    const compile = async (
      files: Readonly<Record<string, string>>,
      options: ReadonlyArray<string>,
      compiler: "typescript" | "@typescript/native" = "@typescript/native"
    ): Promise<string> => {
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
      const tsc = join(root, "node_modules", compiler, "bin", "tsc")
      const skipLibCheck = String(compiler === "typescript")
      const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", skipLibCheck]
      const flags = ["--noEmit", ...strict, "--target", "es2023", ...options]
      return run("node", [tsc, ...flags, ...Object.keys(files)], { cwd: folder }).then(
        () => "",
        ({ stdout }) => String(stdout)
      )
    }

    /** A file that imports every one of these entries. */
    const importing = (entries: ReadonlyArray<string>): string => {
      const imports = entries.map((entry, at) => `import * as m${at} from "${entry}"`)
      const exported = entries.map((_, at) => `m${at}`).join(", ")
      return [...imports, `export const all = [${exported}] as const`, ""].join("\n")
    }

    const entriesOf = async (): Promise<ReadonlyArray<string>> => {
      const manifests = await Promise.all((await publicFolders()).map(manifestOf))
      const entries = manifests.flatMap(({ exports = {}, name }) =>
        Object.entries(exports)
          .filter(([, target]) => typeof target === "object" && target.types !== undefined)
          .map(([path]) => name + path.slice(1))
      )
      expect(entries.length).toBeGreaterThan(11)
      return entries
    }

    const program = `import { openService, type Service } from "@sibyl/core"
import { sibyl } from "@sibyl/adapter-express"
import { type EnsuredProject, openSibyl } from "@sibyl/server"
const oracle = await openSibyl({ database: "x.sqlite" })
export const service: Service = oracle.service
export const handler = sibyl(service)
export const open: typeof openService = openService
export const project: EnsuredProject = await oracle.ensureProject({ organizationSlug: "acme", keyFile: "key" })
`

    test("of every entry but Bun's compile strictly for nodenext without Bun's types, and a program against them", async () => {
      const entries = (await entriesOf()).filter((entry) => entry !== "@sibyl/adapter-bun")
      const files = { "user.mts": importing(entries), "program.ts": program }
      expect(await compile(files, ["--module", "nodenext"])).toBe("")
      expect(await compile(files, ["--module", "nodenext"], "typescript"), "TypeScript 6").toBe("")
    })

    test("let the README's example of the client be pasted into a strict project", async () => {
      const [, example = ""] = /```ts\n(import \{ createClient, [^]*?)```/.exec(await readFile(join(root, "README.md"), "utf8")) ?? []
      expect(example).toContain("oracle.feed")
      // As `@types/ws` has it, which is not installed here.
      const ws = `declare module "ws" { export const WebSocket: { new (url: string, protocols?: string | string[]): globalThis.WebSocket } }`
      const options = ["--module", "nodenext", "--types", "node"]
      for (const compiler of ["@typescript/native", "typescript"] as const) {
        expect(await compile({ "client.ts": example, "ws.d.ts": ws }, options, compiler), compiler).toBe("")
      }
      const misread = example.replace("result.price,", "result.cost,")
      expect(await compile({ "misread.ts": misread, "ws.d.ts": ws }, options)).toContain("Property 'cost' does not exist on type 'Found'")
    })

    test("of every entry compile strictly for a bundler where Bun's types are installed, as in every project of Bun", async () => {
      const types = `@types/bun@${(await manifestOf(join(root, "node_modules", "@types", "bun"))).version}`
      await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", types], { cwd: folder })
      const options = ["--module", "esnext", "--moduleResolution", "bundler"]
      expect(await compile({ "bundled.mts": importing(await entriesOf()) }, options)).toBe("")
    })
  })
})
