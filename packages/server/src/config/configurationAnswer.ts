/** A configuration as `sibyl config` shows it: every setting with its value and origin, without secrets. */
import { toHex } from "@sibyl/core/internal"
import type { Answer } from "../output/answer.ts"
import { jsonDocument } from "../output/jsonDocument.ts"
import { type Column, table } from "../output/table.ts"
import type { Configuration } from "./configuration.ts"
import { originText } from "./readSettings.ts"
import { type SettingName, settingNames, settings } from "./settings.ts"

interface Row {
  readonly name: SettingName
  readonly value: string
  readonly from: string
}

/** Bytes in the notation of the setting. */
const plain = (value: unknown): unknown => (value instanceof Uint8Array ? toHex(value) : value)

const valueText = (value: unknown): string => {
  if (typeof value === "string") return value
  return typeof value === "bigint" ? String(value) : jsonDocument(value).replaceAll('"<redacted>"', "<redacted>")
}

/** The default of a setting in words. */
const otherwiseOf = (name: SettingName, { databaseFile }: Configuration["settings"]["values"]): string =>
  name === "database" && databaseFile !== undefined ? "as databaseFile says" : settings[name].otherwise

const rowsOf = ({ file, settings: { origins, values } }: Configuration): ReadonlyArray<Row> =>
  settingNames.map((name) => ({
    name,
    value: values[name] === undefined ? otherwiseOf(name, values) : valueText(plain(values[name])),
    from: originText(name, origins.get(name) ?? "default", file)
  }))

const columns: ReadonlyArray<Column<Row>> = [
  { head: "setting", cell: ({ from, name }, paint) => (from === "default" ? name : paint("bold", name)) },
  { head: "value", cell: ({ value }) => value },
  { head: "from", cell: ({ from }, paint) => (from === "default" ? paint("dim", from) : from) }
]

/** The answer in both forms. In the document, a setting that was not given is `null`. */
export const configurationAnswer = (configuration: Configuration): Answer => ({
  document: {
    file: configuration.file ?? null,
    settings: Object.fromEntries(
      rowsOf(configuration).map(({ from, name }) => [name, { value: plain(configuration.settings.values[name]) ?? null, from }])
    )
  },
  lines: (paint) => table(rowsOf(configuration), columns, "", paint)
})
