/** The client of the service beside which the console is mounted. */
import { type Client, createClient, isClientError } from "@sibyl/client"
import { base } from "./service.ts"

/** The service's address. */
export const serviceUrl = location.origin + base

/** A client for what a person has asked for and waits for: it gives up soon. */
export const askingClient = (key: string): Client => createClient({ url: serviceUrl, auth: key, retry: { attempts: 2 } })

/** Why something did not go, with the tag of the error. */
export const faultOf = (caught: unknown): string => (isClientError(caught) ? `${caught._tag}: ${caught.message}` : String(caught))
