/** Whether the address of a PostgreSQL is one that the driver takes as it is meant. */

const protocols: ReadonlySet<string> = new Set(["postgres:", "postgresql:"])

/** The driver takes any other word for `verify-full`, an empty one for no TLS, and the last one of several. */
const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"]

const hasKnownMode = ({ searchParams }: URL): boolean => {
  const [mode, ...others] = searchParams.getAll("sslmode")
  return mode === undefined || (others.length === 0 && sslModes.includes(mode))
}

/** What is wrong with an address, for its operator. The driver's own error for a malformed one could contain the password. */
export const postgresAddressFault = (address: string): string | undefined => {
  if (!URL.canParse(address) || !protocols.has(new URL(address).protocol)) {
    return "the address of the database is not of the form postgres://USER:PASSWORD@HOST:PORT/NAME"
  }
  return hasKnownMode(new URL(address)) ? undefined : `sslmode in the address of the database must be one of ${sslModes.join(", ")}`
}
