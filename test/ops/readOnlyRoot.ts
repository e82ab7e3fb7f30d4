/** Runs a program as a container would: as a user without rights, in a file system of which only one folder can be written. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { chownSync } from "node:fs"

/** Debian's `nobody`. */
const nobody = 65_534

/**
 * The arguments are the folder that can be written, its size in bytes if it is to have a file system of its own, else 0, and the command.
 * All of it happens in a mount namespace of its own, which ends with the process.
 */
const script = `
set -eu
data=$1; size=$2; shift 2
mount --make-rprivate /
if [ "$size" = 0 ]
then mount --bind "$data" "$data"
else mount -t tmpfs -o "size=$size,uid=${nobody},gid=${nobody},mode=0700" tmpfs "$data"
fi
mount -o remount,bind,ro /
cd "$data"
exec setpriv --reuid=${nobody} --regid=${nobody} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
`

const asContained = (data: string, bytes: number, command: ReadonlyArray<string>): ReadonlyArray<string> => [
  "unshare",
  "--mount",
  "sh",
  "-c",
  script,
  "sh",
  data,
  String(bytes),
  ...command
]

const probe = (): string | undefined => {
  if (process.getuid?.() !== 0) return "only root can make such a file system"
  try {
    const [command = "", ...args] = asContained("/tmp", 0, ["sh", "-c", `! touch /sibyl-probe && ${process.execPath} --version`])
    execFileSync(command, args, { stdio: "ignore", timeout: 20_000 })
    return undefined
  } catch {
    return "this machine lets nobody mount, or has no unshare and setpriv"
  }
}

/** Why a program cannot be run this way here, for the title of a test; undefined if it can. */
export const whyNotContained: string | undefined = probe()

/**
 * Starts a program with nothing of this environment but what is given, contained if this machine can do it; with `bytes`, `data` is a file
 * system of that size, which nobody else sees.
 */
export const startContained = (
  data: string,
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  bytes = 0
): ChildProcess => {
  if (whyNotContained === undefined) chownSync(data, nobody, nobody)
  const [program = "", ...args] = whyNotContained === undefined ? asContained(data, bytes, command) : command
  return spawn(program, args, { cwd: data, env: { PATH: process.env["PATH"], ...env }, stdio: ["ignore", "pipe", "pipe"] })
}
