/** Files that never end are read up to a bound, and the command says so. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runSibyl } from "../testdata/runSibyl.ts"
import { readFileWithin, readSettingWithin } from "./readWithin.ts"

let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-within-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test("a file is read whole up to the bound, and refused beyond it", async () => {
  const [full, over] = [join(folder, "full"), join(folder, "over")]
  await writeFile(full, "a".repeat(16 * 2 ** 20))
  await writeFile(over, "a".repeat(16 * 2 ** 20 + 1))
  expect(await readSettingWithin(full)).toHaveLength(16 * 2 ** 20)
  expect(await readFileWithin(over)).toHaveLength(16 * 2 ** 20 + 1)
  await expect(readSettingWithin(over)).rejects.toThrow("it is larger than 16 MiB")
})

test.each<[number, number, ReadonlyArray<string>]>([
  [1, 256, ["replay", "/dev/zero"]],
  [1, 256, ["run", "/dev/zero"]],
  [1, 16, ["feed", "--key-file", "/dev/zero"]],
  [2, 16, ["config", "--config", "/dev/zero"]]
])("a device without an end is told with %i, of at most %i MiB: %j", async (code, mib, words) => {
  const said = await runSibyl(words, { cwd: folder })
  expect(said).toMatchObject({ code, stderr: expect.stringContaining(`/dev/zero cannot be read: it is larger than ${mib} MiB`) })
})

test.each(["credentialsFile", "keyFile"])("cluster.%s that is a device is told by its name, and not read", async (name) => {
  const words = ["executor", "--cluster", "nats://127.0.0.1:1", "--set", `cluster.${name}=/dev/zero`]
  const said = await runSibyl([...words, ...(name === "keyFile" ? ["--set", "cluster.certFile=/dev/zero"] : [])], { cwd: folder })
  expect(said).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^sibyl: cluster\.\w+File \/dev\/zero cannot be read: it is no regular file$/m)
  })
})
