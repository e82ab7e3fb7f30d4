/** Runs other programs for the check of a release. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const execute = promisify(execFile)

/** Runs a program to its end, at most ten minutes; answers its output. Fails with what it has printed. */
export const run = async (command, args, options = {}) => {
  try {
    const { stdout } = await execute(command, args, { maxBuffer: 2 ** 28, timeout: 600_000, ...options })
    return stdout
  } catch (cause) {
    throw new Error(`${command} ${args.join(" ")}\n${cause.stdout ?? ""}${cause.stderr ?? cause.message}`, { cause })
  }
}

/** Packs all packages of a checkout that is built; answers their names, files and tarballs. */
export const pack = async (root, destination) => {
  const args = ["pack", "--json", "--ignore-scripts", "-w", "packages", "-w", "programs", "--pack-destination", destination]
  return JSON.parse(await run("npm", args, { cwd: root }))
}
