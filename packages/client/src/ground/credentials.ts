/** Who asks: a key or a ticket, as a text or asked for anew each time. */
import { InvalidOption } from "../errors/clientError.ts"

/** A key or a ticket; or a function that gives one, which is called for each request and each connection. */
export type Auth = string | (() => string | Promise<string>)

/** The subprotocol that the service selects. */
export const webSocketProtocol = "sibyl.v1"

/** The key or ticket to use now. Rejects as the function does. */
export const credentialOf = async (auth: Auth | undefined): Promise<string> => {
  const text = typeof auth === "function" ? await auth() : auth
  if (typeof text === "string" && /^[\x21-\x7e]+$/.test(text)) return text
  throw new InvalidOption("auth", "must be a key or a ticket, or a function that gives one")
}

/** Whether a text is a ticket, which goes into a WebSocket's subprotocols; a key never does. */
export const isTicket = (credential: string): boolean => credential.startsWith("sibylt_")

/** The subprotocols that carry a ticket. */
export const ticketProtocols = (ticket: string): Array<string> => [webSocketProtocol, `sibyl.ticket.${ticket}`]
