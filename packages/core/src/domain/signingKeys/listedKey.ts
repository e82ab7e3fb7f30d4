/** A signing key with the time in which it signs: what `GET /info` lists, and what verifiers follow. */

/** One key of a service. Times are in milliseconds since the Unix epoch; a bound that is not set is `null`. */
export interface ListedKey {
  /** SEC1 compressed, 66 lowercase hex characters. */
  readonly publicKey: string
  readonly announcedAtMs: number
  /** The first timestamp that it signs; `null` while that is not decided. The first key of a service signs from 0 on. */
  readonly activeFromMs: number | null
  /** The first timestamp that it does not sign any more, because the next key does. */
  readonly retiredAtMs: number | null
  /** When verifiers stop accepting what it signed, whatever timestamp that has. */
  readonly validUntilMs: number | null
}

/** What a key is good for at one moment. */
export type SigningKeyState = "announced" | "scheduled" | "active" | "retired" | "ended"

/** Whether a result with this timestamp may be signed by the key. */
export const signsAt = ({ activeFromMs, retiredAtMs }: ListedKey, timestampMs: number): boolean =>
  activeFromMs !== null && activeFromMs <= timestampMs && (retiredAtMs === null || timestampMs < retiredAtMs)

/** Whether verifiers accept, at `nowMs`, what the key signed in its time. */
export const isListedAt = ({ validUntilMs }: ListedKey, nowMs: number): boolean => validUntilMs === null || nowMs < validUntilMs

/** The key that signs results with this timestamp; `undefined` without any. */
export const keyAt = (keys: ReadonlyArray<ListedKey>, timestampMs: number): ListedKey | undefined =>
  keys.find((key) => signsAt(key, timestampMs))

/** What a key is good for at `nowMs`. */
export const signingKeyStateAt = (key: ListedKey, nowMs: number): SigningKeyState => {
  if (!isListedAt(key, nowMs)) return "ended"
  if (key.activeFromMs === null) return "announced"
  if (nowMs < key.activeFromMs) return "scheduled"
  return signsAt(key, nowMs) ? "active" : "retired"
}
