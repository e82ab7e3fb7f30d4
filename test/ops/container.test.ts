/** The container: its file, and what it assembles, which runs here as it would run there, without a container daemon. */
import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { containerText, findingsIn, isInContext, plainArguments, stagesOf } from "./containerFile.ts"
import { startContained, whyNotContained } from "./readOnlyRoot.ts"
import { servedDocument } from "./servedDocument.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../..", import.meta.url))

const tracked = async (): Promise<ReadonlyArray<string>> =>
  (await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, maxBuffer: 16 * 1_048_576 })).stdout
    .split("\0")
    .filter((path) => path !== "")

const stages = stagesOf(containerText())
const [build, final] = stages
const stepsOf = (keyword: string) => (final?.steps ?? []).filter((step) => step.keyword === keyword).map((step) => step.text)

describe("the container file", () => {
  test("has nothing that the linter minds, and the linter minds something", () => {
    expect(findingsIn(containerText())).toEqual([])
    expect(findingsIn("FROM node:24\nCOPPY . .\nENTRYPOINT node\nENTRYPOINT node\n").length).toBeGreaterThan(0)
  })

  test("has two stages on images of one version, and no compiler in either", () => {
    expect(stages).toHaveLength(2)
    for (const { image } of stages) expect(image).toMatch(/^[a-z]+:\d+\.\d+\.\d+-[a-z]+-slim$/)
    expect(stages.flatMap(({ steps }) => steps).filter(({ text }) => /apt-get|apk |gcc|g\+\+|make |python/.test(text))).toEqual([])
  })

  test("ends without rights, with a health check, a volume for data and the command", () => {
    const [uid = ""] = stepsOf("USER")
    expect(Number(uid.split(":")[0])).toBeGreaterThan(1_000)
    expect(final?.steps.findIndex(({ keyword }) => keyword === "USER")).toBeGreaterThan(
      final?.steps.findLastIndex(({ keyword }) => keyword === "RUN" || keyword === "COPY") ?? Infinity
    )
    expect(stepsOf("HEALTHCHECK").join("")).toContain("health.mjs")
    expect(stepsOf("VOLUME")).toEqual(['["/var/lib/sibyl"]'])
    expect([...stepsOf("ENTRYPOINT"), ...stepsOf("CMD")]).toEqual(['["sibyl"]', '["serve"]'])
  })

  test("copies what is there, and nothing of an operator's own", async () => {
    const isTaken = isInContext()
    const copied = stages.flatMap(({ steps }) => steps).filter((step) => step.keyword === "COPY" && !step.text.includes("--from="))
    for (const path of copied.flatMap((step) => plainArguments(step).slice(0, -1))) {
      expect((await lstat(join(root, path))).isFile() || path === ".", path).toBe(true)
      expect(path === "." || isTaken(path), path).toBe(true)
    }
    for (const path of [".git/HEAD", "ops/secrets/database", ".sibyl/demo-key", "sibyl.json", "a/b.sqlite-wal", ".env", "node_modules/a"]) {
      expect(isTaken(path), path).toBe(false)
    }
    expect((await tracked()).filter(isTaken).some((path) => path.startsWith("packages/server/src/"))).toBe(true)
  })
})

const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => lstat(join(parentPath, name))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

const Served = Schema.parseJson(
  Schema.Struct({
    url: Schema.String,
    demo: Schema.Struct({ execution: Schema.Struct({ signatureValid: Schema.Boolean, creditsUsed: Schema.String }) })
  })
)

/** Serves from an assembled folder; one execution over HTTP, health, and an orderly end. */
const serveFrom = async (installation: string, data: string) => {
  const env = { SIBYL_DATA: data, SIBYL_PORT: "0", SIBYL_WORKERS: "1" }
  const child = startContained(data, [process.execPath, join(installation, "bin", "sibyl"), "serve", "--demo", "--json"], env)
  const exited = once(child, "exit")
  try {
    const { demo, url } = Schema.decodeUnknownSync(Served)(await servedDocument(child))
    const check = (port: string) =>
      run(process.execPath, [join(root, "ops/container/health.mjs")], { env: { SIBYL_PORT: port } }).then(
        () => "healthy",
        () => "not healthy"
      )
    const health = await check(new URL(url).port)
    const files = (await readdir(data)).toSorted()
    const owner = (await lstat(join(data, "sibyl.sqlite"))).uid
    child.kill("SIGTERM")
    const [code] = await exited
    return { demo, health, healthAfter: await check(new URL(url).port), files, owner, code }
  } finally {
    child.kill("SIGKILL")
  }
}

const contained = whyNotContained === undefined ? "as nobody with a read-only root" : `as this user: ${whyNotContained}`

describe("what it assembles", () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-container-"))
    await chmod(folder, 0o755)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const expectServing = async (installation: string, name: string) => {
    const data = join(folder, name)
    await mkdir(data, { mode: 0o700 })
    expect(await serveFrom(installation, data)).toEqual({
      demo: { execution: { signatureValid: true, creditsUsed: "22" } },
      health: "healthy",
      healthAfter: "not healthy",
      files: expect.arrayContaining(["demo-key", "sibyl.sqlite"]),
      owner: whyNotContained === undefined ? 65_534 : process.getuid?.(),
      code: 0
    })
  }

  test(`from this build: a few MB that serve, ${contained}`, async () => {
    const installation = join(folder, "present")
    await run(process.execPath, [join(root, "scripts/assemble.mjs"), installation])
    // 13.9 MB as written; Effect and its parts, installed whole, would be ten times as much.
    expect(await sizeOf(installation)).toBeLessThan(25_000_000)
    await expectServing(installation, "presentData")
  })

  test.skipIf((process.env["SIBYL_SOAK"] ?? "") === "")(
    `from a clean context, by the container file's own steps, ${contained} (skipped: minutes; SIBYL_SOAK asks for it)`,
    async () => {
      const isTaken = isInContext()
      const places = { "/src": join(folder, "src"), "/opt/sibyl": join(folder, "clean") }
      for (const path of (await tracked()).filter(isTaken)) {
        await cp(join(root, path), join(places["/src"], path)).catch(async (cause: unknown) => {
          // A file that was removed and not committed yet.
          if (await lstat(join(root, path)).catch(() => undefined)) throw cause
        })
      }
      const env = { PATH: process.env["PATH"], HOME: folder }
      expect(build?.steps.map(({ keyword }) => keyword)).toEqual(["WORKDIR", "COPY", "RUN", "RUN", "RUN"])
      for (const step of (build?.steps ?? []).filter(({ keyword }) => keyword === "RUN")) {
        await run("sh", ["-c", step.text.replace("/opt/sibyl", places["/opt/sibyl"])], {
          cwd: places["/src"],
          env,
          maxBuffer: 16 * 1_048_576
        })
      }
      expect(await readFile(join(places["/opt/sibyl"], "node_modules/@sibyl/server/package.json"), "utf8")).toContain("@sibyl/server")
      await expectServing(places["/opt/sibyl"], "cleanData")
    },
    900_000
  )
})
