/** Whether two clean checkouts of one commit, in different folders, give the same tarballs. */
import { createHash } from "node:crypto"
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { pack, run } from "./run.mjs"

/** Clones the commit, installs exactly what the lock file says, builds and packs; answers the digest of each tarball. */
const digestsOf = async (root, commit, folder) => {
  await run("git", ["clone", "--quiet", "--no-hardlinks", root, folder])
  await run("git", ["checkout", "--quiet", commit], { cwd: folder })
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: folder })
  await run("npm", ["run", "--silent", "build"], { cwd: folder })
  const destination = join(folder, "packed")
  await mkdir(destination)
  const digests = new Map()
  for (const { filename } of await pack(folder, destination)) {
    digests.set(
      filename,
      createHash("sha256")
        .update(await readFile(join(destination, filename)))
        .digest("hex")
    )
  }
  return digests
}

/** The tarballs that differ, and the digests of all. */
export const comparePacks = async (root, folder) => {
  const commit = (await run("git", ["rev-parse", "HEAD"], { cwd: root })).trim()
  const first = await digestsOf(root, commit, join(folder, "first"))
  const second = await digestsOf(root, commit, join(folder, "another place", "second"))
  const faults = [...first].filter(([file, digest]) => second.get(file) !== digest).map(([file]) => `${file} differs`)
  return { commit, digests: first, faults: first.size === second.size && first.size > 0 ? faults : [...faults, "not the same packages"] }
}
