/** The table of all settings in docs/OPERATING.md, made from the settings themselves. */
import { environmentName } from "./environmentNames.ts"
import { settingNames, settings } from "./settings.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

/** Markdown, a line for each setting. A test holds the document to it. */
export const settingsTable = (): ReadonlyArray<string> => [
  "| setting | environment | flag | must be | otherwise | meaning |",
  "|---|---|---|---|---|---|",
  ...settingNames.map((name) => {
    const { flag, kind, meaning, otherwise } = settings[name]
    const cells = [`\`${name}\``, `\`${environmentName(name)}\``, flag === undefined ? "" : `\`--${flag}\``]
    return `| ${[...cells, kind.rule, otherwise, meaning].map(cell).join(" | ")} |`
  })
]
