/** The benchmark of more than one machine. */
import { fanout } from "./fanout.mjs"

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => [...(await fanout(tell))]
