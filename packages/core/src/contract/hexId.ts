/** Ids as clients write them: of programs, of data requests (decision D7). */

/** What an id has to be, in the words that a client is told. */
export const hexIdRule = "must be 64 hex characters, with or without 0x"

/** The form of an id as it is written. */
export const hexIdForm = /^(?:0[xX])?[0-9a-fA-F]{64}$/

/** An id of that form in the one spelling that is kept and answered. */
export const plainHexId = (text: string): string => text.slice(-64).toLowerCase()

/** An id in the one spelling that is kept and answered, lowercase without `0x`; `undefined` for what is none. */
export const readHexId = (text: string): string | undefined => (hexIdForm.test(text) ? plainHexId(text) : undefined)
