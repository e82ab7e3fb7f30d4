/** The console: a page beside a service, on which people run its programs. */
export { type ConsoleExample, type ConsoleOptions, withConsole } from "./withConsole.ts"
