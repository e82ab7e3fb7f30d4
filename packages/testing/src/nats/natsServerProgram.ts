/** Finds the NATS server that is installed on this machine, if there is one. */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/** Debian installs it outside of the PATH of plain users. */
const elsewhere = ["/usr/sbin", "/usr/local/bin"]

/** The program in the first folder that has it: from the PATH, then where packages install it. */
export const findNatsServer = (path: string = process.env["PATH"] ?? ""): string | undefined =>
  [...path.split(delimiter).filter((folder) => folder !== ""), ...elsewhere]
    .map((folder) => join(folder, "nats-server"))
    .find((program) => existsSync(program))

/** Why NATS tests cannot run here, for the title of a skipped test; `undefined` if they can. */
export const whyNoNats: string | undefined = findNatsServer() === undefined ? "no NATS is installed: nats-server was not found" : undefined
