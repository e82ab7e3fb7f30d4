/** What servers tell each other of a feed, and what to believe of a shared one (decisions D48 and D51). */
import type { EncodedText } from "../encoding/encodedText.ts"

/** Who speaks: an owner of the feed, in one of its terms. Later terms of an epoch, and later epochs, come first. */
export interface OwnersTerm {
  readonly epoch: number
  readonly term: number
}

/** A tick's result as it is sent to every subscriber. */
export interface RelayedResult extends OwnersTerm {
  readonly kind: "result"
  /** The server that owns the feed. */
  readonly from: string
  /** 0, 1, 2 ... within the term, in the order in which results are sent. */
  readonly ordinal: number
  /** The number that subscribers see. */
  readonly seq: number
  readonly message: EncodedText
}

/** The owner has let go of the feed: another server may own it at once. */
export interface RelayedRelease extends OwnersTerm {
  readonly kind: "released"
  readonly from: string
}

/** The log of a durable feed has something new, which is read there: nothing is to be believed, and nothing is lost with it. */
export interface RelayedLog {
  readonly kind: "logged"
  readonly from: string
}

/** News of a feed that its owner sends in one of its terms. */
export type OwnersNews = RelayedResult | RelayedRelease

/** News of a feed. */
export type RelayedNews = OwnersNews | RelayedLog

/** What a server has heard of a feed, its own results included; undefined before the first. */
export interface Heard extends OwnersTerm {
  /** Who spoke last. */
  readonly from: string
  /** The ordinal of the next result of this term. */
  readonly next: number
  /** The highest number so far; undefined before the first result. */
  readonly lastSeq: number | undefined
}

/** What to do about news. */
export type NewsVerdict =
  /** From an owner that another one has replaced, or heard before: drop it. */
  | { readonly kind: "old" }
  /** Send it to the subscribers; `missed` results before it did not arrive. */
  | { readonly kind: "new"; readonly missed: number }
  | { readonly kind: "released" }

/** Whether the left one comes before the right one. */
export const isBefore = (left: OwnersTerm, right: OwnersTerm): boolean =>
  left.epoch < right.epoch || (left.epoch === right.epoch && left.term < right.term)

/** How many numbers lie between what was heard and a successor's next number. */
export const missedUntil = (heard: Heard | undefined, { epoch, seq }: { readonly epoch: number; readonly seq: number }): number =>
  heard?.lastSeq === undefined || heard.epoch !== epoch ? 0 : Math.max(0, seq - heard.lastSeq - 1)

const missedOf = (heard: Heard | undefined, news: RelayedResult): number => {
  if (heard === undefined) return 0
  // Within a term, results are counted as they are sent: PARALLEL ones end in any order.
  return isBefore(heard, news) ? missedUntil(heard, news) : news.ordinal - heard.next
}

/** What is known after news, and what to do about it. */
export const heardNews = (heard: Heard | undefined, news: OwnersNews): readonly [Heard | undefined, NewsVerdict] => {
  if (heard !== undefined && isBefore(news, heard)) return [heard, { kind: "old" }]
  if (news.kind === "released") return [heard, { kind: "released" }]
  const isSameTerm = heard !== undefined && !isBefore(heard, news)
  if (isSameTerm && news.ordinal < heard.next) return [heard, { kind: "old" }]
  const { epoch, from, ordinal, seq, term } = news
  const lastSeq = heard?.epoch === epoch ? Math.max(heard.lastSeq ?? seq, seq) : seq
  return [
    { epoch, term, from, next: ordinal + 1, lastSeq },
    { kind: "new", missed: missedOf(heard, news) }
  ]
}

/** Who has the lease of a feed, as its store says. */
export interface LeaseHolder extends OwnersTerm {
  readonly owner: string
}

/**
 * What to go on with where the store, asked after all this was heard, names a holder of an earlier term, or another one of the same: it
 * went back (a replica that lagged has taken over, or a backup was restored), and would not be believed for as long as it takes to come
 * to where it was. Undefined: it did not.
 */
export const heardOfStoreGoneBack = (heard: Heard | undefined, holder: LeaseHolder): Heard | undefined => {
  if (heard === undefined || isBefore(heard, holder)) return undefined
  if (!isBefore(holder, heard) && heard.from === holder.owner) return undefined
  const { epoch, owner: from, term } = holder
  // The holder's results are of a later term than this one, so that what was missed meanwhile is told.
  return { epoch, from, term: term - 1, next: 0, lastSeq: heard.epoch === epoch ? heard.lastSeq : undefined }
}
