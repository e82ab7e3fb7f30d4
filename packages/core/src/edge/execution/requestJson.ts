/** Reads the JSON of requests: of a text that is all small values, no more than takes a tenth of a second. */
import { type JsonRead, readJson } from "../../domain/encoding/losslessJson.ts"

/** How many values one request may have; an object or list counts as four. Of 2 MiB, each then has eight characters or more. */
export const mostRequestValues = 250_000

/** The JSON of a body or a message. */
export const readRequestJson = (text: string): JsonRead => readJson(text, mostRequestValues)
