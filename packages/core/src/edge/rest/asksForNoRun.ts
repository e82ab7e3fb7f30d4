/** Reads from a query whether a run is asked for. */

/** Whether a query asks for a stored result or a quote; what a body asks for is only known when it was read. */
export const asksForNoRun = (query: string): boolean => /(?:^|&)(?:returnLastResult|dryRun)=true(?:&|$)/.test(query)
