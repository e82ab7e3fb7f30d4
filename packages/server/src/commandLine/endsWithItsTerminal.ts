/** What the end of a terminal means. */

/** A terminal that is closed, or a lost connection of ssh, ends a command as SIGTERM does: a server drains. By itself the runtime would end at once. */
export const endsWithItsTerminal = (): void => {
  process.on("SIGHUP", () => process.emit("SIGTERM"))
}
