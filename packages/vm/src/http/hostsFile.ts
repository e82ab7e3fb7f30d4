/** The names in the machine's own hosts file, read again when the file has changed. */
import { readFileSync, statSync } from "node:fs"
import { isIP } from "node:net"

/** The path of the system's file. */
export const systemHostsPath =
  process.platform === "win32" ? `${process.env["SystemRoot"] ?? "C:\\Windows"}\\System32\\drivers\\etc\\hosts` : "/etc/hosts"

/** Parses lines of an address and its names; `#` begins a comment. Invalid lines are ignored, as systems do. */
export const parseHosts = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const addresses = new Map<string, Array<string>>()
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      addresses.set(key, [...(addresses.get(key) ?? []), address])
    }
  }
  return addresses
}

/** The interval between checks of the file's modification time, in ms. */
const lookEveryMs = 1_000

/** A look-up in the file at `path`: the addresses of a name in lower case, an empty list if it is not in the file. */
export const hostsFile = (path: string, nowMs: () => number = () => performance.now()): ((name: string) => ReadonlyArray<string>) => {
  let known: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
  let changedMs: number | undefined
  let lookedMs = -Infinity
  return (name) => {
    if (nowMs() - lookedMs >= lookEveryMs) {
      lookedMs = nowMs()
      try {
        const { mtimeMs } = statSync(path)
        if (mtimeMs !== changedMs) known = parseHosts(readFileSync(path, "utf8"))
        changedMs = mtimeMs
      } catch {
        // Without a file there are no names.
        known = new Map()
        changedMs = undefined
      }
    }
    return known.get(name) ?? []
  }
}
