/** The codes with which the service closes a WebSocket (decisions D18, D41). */

/** Close codes that the service sends (RFC 6455, section 7.4). */
export const closeCodes = { goingAway: 1001, unsupportedData: 1003, policy: 1008, tooLarge: 1009, tryAgainLater: 1013 } as const
