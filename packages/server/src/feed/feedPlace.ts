/** Where `sibyl feed` finds the server and the key: the defaults of `sibyl serve` in the same folder and environment. */
import { join } from "node:path"

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

const given = (environment: Environment, name: string, otherwise: string): string => {
  const value = environment[name]
  return value === undefined || value === "" ? otherwise : value
}

/** The server's address: `SIBYL_URL`, or this machine at the port and prefix of `SIBYL_PORT` and `SIBYL_PREFIX`. */
export const feedUrl = (environment: Environment): string =>
  given(environment, "SIBYL_URL", `http://127.0.0.1:${given(environment, "SIBYL_PORT", "8717")}${given(environment, "SIBYL_PREFIX", "")}`)

/** The demo's key in the data folder (`SIBYL_DATA`). */
export const feedKeyFile = (environment: Environment): string => join(given(environment, "SIBYL_DATA", ".sibyl"), "demo-key")
