/** Ids of programs and data requests as clients write them (decision D7). */

/** The rule for an id, as told to clients. */
export const hexIdRule = "must be 64 hex characters, with or without 0x"

/** The accepted forms of an id. */
export const hexIdForm = /^(?:0[xX])?[0-9a-fA-F]{64}$/

/** Normalizes an id of that form. */
export const plainHexId = (text: string): string => text.slice(-64).toLowerCase()

/** The normalized id, lowercase without `0x`; `undefined` if the text is none. */
export const readHexId = (text: string): string | undefined => (hexIdForm.test(text) ? plainHexId(text) : undefined)
