/** Runs a command with a small disk of its own, or without the programs of PostgreSQL, and says what is left on the disk. */
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The arguments are the disk's folder, its size in bytes, a folder for the listing, and the command. */
const script = `
mount --make-rprivate /
mount -t tmpfs -o "size=$2" tmpfs "$1"
if [ -n "$HIDDEN" ] && [ -d "$HIDDEN" ]; then mount -t tmpfs tmpfs "$HIDDEN"; fi
disk=$1; listing=$3; shift 3
"$@"
code=$?
ls -A "$disk" > "$listing"
exit $code
`

/** Where Debian has the programs of each version of PostgreSQL. */
const postgresFolder = "/usr/lib/postgresql"

/** How a command ended. */
export interface EndedCommand {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The files on the disk afterwards. */
  readonly left: ReadonlyArray<string>
}

/** What is around a command. */
export interface SmallDisk {
  /** An existing folder, which the command sees as the disk. */
  readonly disk: string
  readonly bytes: number
  readonly cwd: string
  /** Whether the programs of PostgreSQL are there; they are, by default. */
  readonly hasPostgresTools?: boolean
}

/** Runs the command, which must be named by its path, as root in a mount namespace of its own. Rejects if there can be none. */
export const onSmallDisk = async (
  command: ReadonlyArray<string>,
  { bytes, cwd, disk, hasPostgresTools = true }: SmallDisk
): Promise<EndedCommand> => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-listing-"))
  try {
    const listing = join(folder, "listing")
    const env = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", TMPDIR: disk, HIDDEN: hasPostgresTools ? "" : postgresFolder }
    // Debian has a program of that name on the PATH too, which looks into the folder.
    const withoutPath = hasPostgresTools ? [] : ["/usr/bin/env", "PATH=/nowhere"]
    const child = spawn("unshare", ["--mount", "sh", "-c", script, "sh", disk, String(bytes), listing, ...withoutPath, ...command], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const said = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk: Buffer) => void (said.stdout += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => void (said.stderr += chunk.toString()))
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject)
      child.once("close", resolve)
    })
    const left = (await readFile(listing, "utf8")).split("\n").filter((name) => name !== "")
    return { code, ...said, left }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
