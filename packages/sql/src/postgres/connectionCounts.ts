/** How many connections to PostgreSQL a server has, where nobody says. */

/** At most, by default. */
export const defaultConnections = 10

/** One for work and one for cancelling it. */
export const leastConnections = 2
