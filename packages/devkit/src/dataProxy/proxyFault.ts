/** The faults that a data proxy of the test kit can have. */

/**
 * - `foreignSignature`: answers are signed with another key than the one they name.
 * - `foreignKey`: the same, and they name that other key; only `OPTIONS` names the proxy's own.
 * - `changedBody`: a byte of the body changes after signing.
 * - `changedUrl`: the signature is for another URL.
 * - `malformedSignature`: the signature is too short.
 * - `noSignature`, `noKey`: the header is missing on answers; `noKeyInOptions`: on those to `OPTIONS`.
 * - `silent`: requests are accepted and never answered; `silentInOptions`: those for the key.
 * - `failing`: every answer is 502; `failingOnce`: only the first one.
 * - `elsewhere`: requests are redirected to `elsewhereUrl`.
 */
export const proxyFaults = [
  "foreignSignature",
  "foreignKey",
  "changedBody",
  "changedUrl",
  "malformedSignature",
  "noSignature",
  "noKey",
  "noKeyInOptions",
  "silent",
  "silentInOptions",
  "failing",
  "failingOnce",
  "elsewhere"
] as const

/** One of {@link proxyFaults}. */
export type ProxyFault = (typeof proxyFaults)[number]
