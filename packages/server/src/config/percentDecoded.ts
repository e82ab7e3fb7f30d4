/** Percent-encoding (RFC 3986, 2.1) as settings hold it: in the collector's headers, and in the passwords of addresses. */

/** The text decoded, or as it stands where a percent sign begins no code. */
export const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
