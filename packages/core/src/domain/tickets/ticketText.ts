/** The text of a ticket: like a key with a prefix of its own, and fit to be the name of a WebSocket subprotocol. */
import { fromUtf8, toHex } from "../encoding/bytes.ts"
import { keccak256 } from "../encoding/keccak256.ts"

const idBytes = 8
const secretBytes = 24
const checksumDigits = 8
const prefix = "sibylt_"
const form = /^sibylt_([a-z0-9-]{1,32})_([0-9a-f]{16})_[0-9a-f]{48}([0-9a-f]{8})$/

/** How many random bytes {@link makeTicket} needs. */
export const ticketEntropyBytes = idBytes + secretBytes

/** A new ticket: its text is shown once, its id is public, the hash is what a store keeps. */
export interface MadeTicket {
  readonly ticketId: string
  readonly ticket: string
  readonly hash: string
}

const checksumOf = (body: string): string => toHex(keccak256(fromUtf8(body))).slice(0, checksumDigits)

/** The hash that a store keeps; plain, because the secret has 192 random bits. */
export const hashTicket = (ticket: string): string => toHex(keccak256(fromUtf8(`sibyl ticket\n${ticket}`)))

/** Makes a ticket for a network from {@link ticketEntropyBytes} random bytes. */
export const makeTicket = (network: string, entropy: Uint8Array): MadeTicket => {
  const ticketId = toHex(entropy.subarray(0, idBytes))
  const body = `${prefix}${network}_${ticketId}_${toHex(entropy.subarray(idBytes, ticketEntropyBytes))}`
  const ticket = `${body}${checksumOf(body)}`
  return { ticketId, ticket, hash: hashTicket(ticket) }
}

/** Whether a text is to be read as a ticket; a key never is. */
export const looksLikeTicket = (text: string): boolean => text.startsWith(prefix)

/** The id of a well-formed ticket of a network; `undefined` for any other text. The ticket need not exist. */
export const ticketIdFor = (network: string, text: string): string | undefined => {
  const match = form.exec(text)
  if (match === null) return undefined
  const [, ofNetwork, ticketId, checksum] = match
  return ofNetwork === network && checksumOf(text.slice(0, -checksumDigits)) === checksum ? ticketId : undefined
}
