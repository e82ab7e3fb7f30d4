/** Reads `Accept-Encoding` (RFC 9110, section 12.5.3). */

const weightOf = (parameters: ReadonlyArray<string>): number => {
  const weight = parameters.map((text) => /^\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*$/i.exec(text)?.[1]).find((text) => text !== undefined)
  return weight === undefined ? 1 : Number(weight)
}

/** Whether gzip is accepted: named or covered by `*`, with a weight above 0. Without the header it is not. */
export const acceptsGzip = (header = ""): boolean => {
  const weights = new Map(
    header.split(",").map((item) => {
      const [coding = "", ...parameters] = item.split(";")
      return [coding.trim().toLowerCase(), weightOf(parameters)]
    })
  )
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0
}
