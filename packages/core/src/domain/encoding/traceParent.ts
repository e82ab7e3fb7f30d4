/** The place of a request in a caller's trace, as the headers `traceparent` and `tracestate` write it (W3C Trace Context). */

/** A span of somebody else. */
export interface TracePlace {
  /** 32 lower-case hexadecimal digits, not all 0. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits, not all 0. */
  readonly spanId: string
  /** Whether the caller records it. */
  readonly sampled: boolean
}

/** The longest `tracestate` that is given on. */
const maxStateChars = 512

/** A later version may have more fields behind these. */
const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const isZero = (digits: string): boolean => /^0+$/.test(digits)

/** Reads a `traceparent`; `undefined` for whatever is not one, which counts as none given. */
export const readTraceParent = (text: string | undefined): TracePlace | undefined => {
  const [, version = "", traceId = "", spanId = "", flags = "", more] = shape.exec(text ?? "") ?? []
  if (version === "" || version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (isZero(traceId) || isZero(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Writes a `traceparent`. */
export const traceParentOf = ({ sampled, spanId, traceId }: TracePlace): string => `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** A `tracestate` as it may be given on: printable and not too long; `undefined` if it is not. */
export const readTraceState = (text: string | undefined): string | undefined =>
  text !== undefined && text.length > 0 && text.length <= maxStateChars && /^[\u0020-\u007e]+$/.test(text) ? text : undefined
