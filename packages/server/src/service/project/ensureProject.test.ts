/** A project that is found again at every start: one project, one key, one grant across restarts; no key is lost. */
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { toWebHandler } from "@sibyl/core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openSibyl } from "../openSibyl.ts"
import type { Sibyl } from "../sibyl.ts"

let folder: string
let open: ReadonlyArray<Sibyl>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-ensure-"))
  open = []
})
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()))
  await rm(folder, { recursive: true, force: true })
})

const start = async (database = "oracle.sqlite"): Promise<Sibyl> => {
  const sibyl = await openSibyl({ database: join(folder, database), workers: 1 })
  open = [...open, sibyl]
  return sibyl
}

const stop = async (sibyl: Sibyl): Promise<void> => {
  open = open.filter((one) => one !== sibyl)
  await sibyl.close()
}

const projectOf = async (sibyl: Sibyl, key: string): Promise<unknown> => {
  const request = new Request("http://service/project", { headers: { authorization: `Bearer ${key}` } })
  return (await toWebHandler(sibyl.service)(request))?.json()
}

const keyFile = () => join(folder, "keys", "oracle-key")
const options = () => ({ organizationSlug: "acme", name: "Prices", credits: 500n, keyFile: keyFile() })

it("is made once, granted once, and found again with the same key after a restart", async () => {
  const first = await start()
  const made = await first.ensureProject(options())
  expect(made.isNew).toBe(true)
  expect(await readFile(keyFile(), "utf8")).toBe(`${made.key}\n`)
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
  await stop(first)
  const second = await start()
  expect(await second.ensureProject(options())).toEqual({ ...made, isNew: false })
  expect(await projectOf(second, made.key)).toMatchObject({
    projectId: made.projectId,
    credits: { used: "0", remaining: "500" }
  })
})

it("refuses an organization that was left out, and makes no key of another organization's project", async () => {
  const sibyl = await start()
  await sibyl.createProject({ organizationSlug: "beta" })
  const nowhere = { keyFile: keyFile(), organizationSlug: undefined as unknown as string }
  await expect(sibyl.ensureProject(nowhere)).rejects.toMatchObject({ _tag: "InvalidSetting", field: "organizationSlug" })
  await expect(stat(keyFile())).rejects.toMatchObject({ code: "ENOENT" })
  await expect(sibyl.createProject({} as { organizationSlug: string })).rejects.toMatchObject({ field: "organizationSlug" })
})

it("a lost file brings a new key of the same project, and no second grant", async () => {
  const sibyl = await start()
  const made = await sibyl.ensureProject(options())
  await rm(keyFile())
  const again = await sibyl.ensureProject(options())
  expect(again).toMatchObject({ projectId: made.projectId, isNew: false })
  expect(again.key).not.toBe(made.key)
  expect(again.apiKeyId).not.toBe(made.apiKeyId)
  expect(await projectOf(sibyl, again.key)).toMatchObject({ credits: { remaining: "500" } })
  const other = await sibyl.ensureProject({ ...options(), name: "Metals", keyFile: join(folder, "metals-key") })
  expect(other).toMatchObject({ isNew: true })
  expect(other.projectId).not.toBe(made.projectId)
})

it.each([
  [
    "a key that was revoked",
    async (sibyl: Sibyl) => {
      const { apiKeyId, key } = await sibyl.ensureProject(options())
      await sibyl.revokeKey(apiKeyId)
      return key
    }
  ],
  [
    "the key of another database",
    async () => {
      const other = await start("other.sqlite")
      return (await other.ensureProject(options())).key
    }
  ],
  [
    "something else",
    async (sibyl: Sibyl) => {
      await sibyl.ensureProject(options())
      await writeFile(keyFile(), "PRIVATE TEXT\n")
      return "PRIVATE TEXT"
    }
  ]
])("%s in the file is refused, kept and not repeated", async (_what, spoil) => {
  const sibyl = await start()
  const text = await spoil(sibyl)
  const refusal = await sibyl.ensureProject(options()).then(() => "none", String)
  expect(refusal).toContain(`the key file ${keyFile()} holds no valid key of this database`)
  expect(refusal).not.toContain(text)
  expect(await readFile(keyFile(), "utf8")).toBe(`${text}\n`)
})

it("a usage limit that no run fits into is refused as by the command line, and makes nothing", async () => {
  const sibyl = await start()
  const usageLimit = { periodMs: 3_600_000, credits: 350n }
  const refusal = { _tag: "InvalidSetting", field: "usageLimit.credits", rule: expect.stringContaining("at least 351") }
  const created = await sibyl.createProject({ organizationSlug: "acme", usageLimit }).then(
    () => "made",
    (failure: unknown) => failure
  )
  expect(created).toMatchObject(refusal)
  expect(
    await sibyl.ensureProject({ ...options(), usageLimit }).then(
      () => "made",
      (failure: unknown) => failure
    )
  ).toMatchObject(refusal)
  await expect(readFile(keyFile())).rejects.toThrow(/ENOENT/)
  const fits = { organizationSlug: "acme", usageLimit: { ...usageLimit, credits: 351n } }
  expect(await sibyl.createProject(fits)).toMatchObject(fits)
})

it("an option against the rules makes nothing", async () => {
  const sibyl = await start()
  await expect(sibyl.ensureProject({ ...options(), organizationSlug: "No Slug" })).rejects.toThrow(/organizationSlug/)
  await expect(readFile(keyFile())).rejects.toThrow(/ENOENT/)
})

it("wrong credits are refused before a project is made for them", async () => {
  const sibyl = await start()
  for (const credits of [-5n, 10_000 as unknown as bigint]) {
    await expect(sibyl.ensureProject({ ...options(), credits })).rejects.toMatchObject({ _tag: "InvalidSetting", field: "credits" })
  }
  const made = await sibyl.ensureProject(options())
  expect(made.isNew).toBe(true)
  expect(await projectOf(sibyl, made.key)).toMatchObject({ credits: { used: "0", remaining: "500" } })
})

it("is made once, with one key, by starts at the same time", async () => {
  const sibyl = await start()
  const found = await Promise.all([1, 2, 3, 4].map(() => sibyl.ensureProject(options())))
  expect(found.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(new Set(found.map(({ apiKeyId, key, projectId }) => `${projectId} ${apiKeyId} ${key}`)).size).toBe(1)
  expect(await readFile(keyFile(), "utf8")).toBe(`${found[0]?.key}\n`)
  expect(await projectOf(sibyl, found[0]?.key ?? "")).toMatchObject({ credits: { remaining: "500" } })
})

it("a file that stays empty is called that, and kept", async () => {
  const sibyl = await start()
  await mkdir(dirname(keyFile()))
  await writeFile(keyFile(), "")
  await expect(sibyl.ensureProject(options())).rejects.toMatchObject({
    _tag: "KeyFileInvalid",
    message: expect.stringContaining(`${keyFile()} is empty`)
  })
  expect(await readFile(keyFile(), "utf8")).toBe("")
})

it("a file that has no end, or none that a key has, is refused, and not read", async () => {
  const sibyl = await start()
  const refusal = (file: string) => sibyl.ensureProject({ ...options(), keyFile: file }).catch(String)
  expect(await refusal("/dev/zero")).toContain("the key file /dev/zero is no regular file")
  await mkdir(dirname(keyFile()))
  await writeFile(keyFile(), "a".repeat(16 * 2 ** 20 + 1))
  expect(await refusal(keyFile())).toContain("cannot be read: it is larger than 16 MiB")
})
