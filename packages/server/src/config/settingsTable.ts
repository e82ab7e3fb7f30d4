/** The table of all settings in docs/OPERATING.md, made from the settings themselves. */
import { environmentName } from "./environmentNames.ts"
import { settingNames, settings } from "./settings.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

/** The table in Markdown, one line per setting. A test compares the document with it. */
export const settingsTable = (): ReadonlyArray<string> => [
  "| setting | environment | flag | must be | otherwise | meaning |",
  "|---|---|---|---|---|---|",
  ...settingNames.map((name) => {
    const { flag, kind, meaning, otherwise } = settings[name]
    const cells = [`\`${name}\``, `\`${environmentName(name)}\``, flag === undefined ? "" : `\`--${flag}\``]
    return `| ${[...cells, kind.rule, otherwise, meaning].map(cell).join(" | ")} |`
  })
]
