/** What the doctor says of a configuration that could be read. */
import type { Configuration } from "../config/configuration.ts"

/** How many settings were said, and in which file. */
export const configurationText = ({ file, settings: { origins } }: Configuration): string => {
  const said = [...origins.values()].filter((origin) => origin !== "default").length
  return `${said} ${said === 1 ? "setting" : "settings"} said, ${file === undefined ? "no file" : `with ${file}`}`
}
