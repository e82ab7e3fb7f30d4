/** The benchmark of more than one machine. */
import { executors } from "./executors.mjs"
import { fanout } from "./fanout.mjs"

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => [...(await executors(tell)), ...(await fanout(tell))]
