/** What stands before the value of an attribute in the text of a record, behind other attributes: one text for each name, in place of five pieces. */
import { byName } from "../logs/byName.ts"

const ofKind = (kind: "stringValue" | "intValue" | "doubleValue" | "boolValue") =>
  byName((name) => `,{"key":${JSON.stringify(name)},"value":{"${kind}":`)

/** By the kind of the value; two braces stand behind it. */
export const beforeValue = {
  text: ofKind("stringValue"),
  integer: ofKind("intValue"),
  number: ofKind("doubleValue"),
  boolean: ofKind("boolValue")
}
