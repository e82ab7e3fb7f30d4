/** Feed schedulers with one fault each, to show that the judge detects it. */
import { startAfter } from "./feedModel.ts"
import type { FeedParts, DeliveredResult } from "./playTraffic.ts"
import { type PlainRun, correctRules, type FeedRules } from "./plainFeed.ts"
import type { FeedLawName } from "./violation.ts"

/** A fault, and the laws of which at least one must be reported as broken. */
export interface FeedFault {
  readonly name: string
  readonly breaks: ReadonlyArray<FeedLawName>
  readonly overrides: Partial<FeedRules>
}

type Mode = FeedParts["law"]["mode"]

/** A different rule for one mode, the correct one for the others. */
const dueIn = (mode: Mode, due: (run: PlainRun) => ReadonlyArray<number>): Partial<FeedRules> => ({
  dueAfter: (run) => (run.parts.law.mode === mode ? due(run) : correctRules.dueAfter(run))
})

const rightDue = (run: PlainRun): number => startAfter(run.parts.law, run.originMs, run.seq, run)

/** The results of one feed in the order of starts, delayed until their turn. */
const inOrderOfStarts = () => {
  const feeds = new WeakMap<FeedParts["deliver"], { next: number; readonly held: Map<number, DeliveredResult> }>()
  return (result: DeliveredResult, deliver: FeedParts["deliver"]): void => {
    const feed = feeds.get(deliver) ?? { next: 0, held: new Map<number, DeliveredResult>() }
    feeds.set(deliver, feed)
    feed.held.set(result.seq, result)
    for (let ready = feed.held.get(feed.next); ready !== undefined; ready = feed.held.get(feed.next)) {
      feed.next += 1
      deliver(ready)
    }
  }
}

/** Numbers results as they arrive. */
const inOrderOfEnds = () => {
  const counts = new WeakMap<FeedParts["deliver"], number>()
  return (result: DeliveredResult, deliver: FeedParts["deliver"]): void => {
    const seq = counts.get(deliver) ?? 0
    counts.set(deliver, seq + 1)
    deliver({ ...result, seq })
  }
}

const startFaults: ReadonlyArray<FeedFault> = [
  {
    name: "a grid that drifts by a millisecond with every run",
    breaks: ["start"],
    overrides: dueIn("FIXED", ({ endMs, parts, startMs }) => [Math.max(endMs, startMs + parts.law.periodMs + 1)])
  },
  {
    name: "a grid that restarts after every overrun",
    breaks: ["start"],
    overrides: dueIn("FIXED", (run) => [Math.max(run.endMs, run.startMs + run.parts.law.periodMs)])
  },
  {
    name: "a grid that begins at the end of the first run",
    breaks: ["start"],
    overrides: dueIn("FIXED", (run) => [run.seq === 0 ? run.endMs + run.parts.law.periodMs : rightDue(run)])
  },
  {
    name: "a slot skipped when a run takes exactly one period",
    breaks: ["start"],
    overrides: dueIn("FIXED", (run) => {
      const exact = run.endMs - run.startMs === run.parts.law.periodMs
      return [exact ? run.endMs + run.parts.law.periodMs : rightDue(run)]
    })
  },
  {
    name: "an overrun that waits for the grid",
    breaks: ["start"],
    overrides: dueIn("FIXED", ({ endMs, originMs, parts }) => {
      const { periodMs } = parts.law
      return [originMs + (Math.floor((endMs - originMs) / periodMs) + 1) * periodMs]
    })
  },
  {
    name: "a burst that makes up for missed points",
    breaks: ["start"],
    overrides: dueIn("FIXED", ({ endMs, originMs, parts, seq }) => [Math.max(endMs, originMs + (seq + 1) * parts.law.periodMs)])
  },
  {
    name: "FIXED runs that overlap",
    breaks: ["overlap"],
    overrides: {
      waits: ({ parts }) => parts.law.mode === "SEQUENTIAL",
      ...dueIn("FIXED", ({ originMs, parts, seq }) => [originMs + (seq + 1) * parts.law.periodMs])
    }
  },
  {
    name: "SEQUENTIAL counted from the start",
    breaks: ["start"],
    overrides: dueIn("SEQUENTIAL", (run) => [Math.max(run.endMs, run.startMs + run.parts.law.periodMs)])
  },
  {
    name: "PARALLEL that waits for the previous run",
    breaks: ["start"],
    overrides: { waits: () => true, ...dueIn("PARALLEL", (run) => [Math.max(run.endMs, rightDue(run))]) }
  },
  {
    name: "PARALLEL that drifts by a microsecond with every run",
    breaks: ["start"],
    overrides: dueIn("PARALLEL", (run) => [run.startMs + run.parts.law.periodMs + 0.001])
  },
  {
    name: "every start late by five milliseconds",
    breaks: ["start"],
    overrides: { dueAfter: (run) => [rightDue(run) + 5] }
  },
  {
    name: "a first run after a period",
    breaks: ["first-run", "start"],
    overrides: { firstAfterMs: ({ law }) => law.periodMs }
  },
  {
    name: "a feed that ends when a run fails",
    breaks: ["start"],
    overrides: { dueAfter: (run) => (run.ending === "value" ? [rightDue(run)] : []) }
  },
  {
    name: "a feed that ends after ten runs",
    breaks: ["start"],
    overrides: { dueAfter: (run) => (run.seq < 9 ? [rightDue(run)] : []) }
  },
  {
    name: "runs that still start after a stop",
    breaks: ["after-stop"],
    overrides: { stops: { starts: false, results: true } }
  }
]

const limitFaults: ReadonlyArray<FeedFault> = [
  { name: "no limit of overlap", breaks: ["overlap-limit"], overrides: { refusal: () => "none" } },
  {
    name: "a limit of overlap that is one too low",
    breaks: ["overlap-limit"],
    overrides: { refusal: (inFlight, max) => (inFlight >= max - 1 ? "told" : "none") }
  },
  {
    name: "runs beyond the limit dropped without a result",
    breaks: ["start", "seq"],
    overrides: { refusal: (inFlight, max) => (inFlight >= max ? "dropped" : "none") }
  }
]

const resultFaults: ReadonlyArray<FeedFault> = [
  {
    name: "every seventh result lost",
    breaks: ["one-result"],
    overrides: { deliver: (result, deliver) => (result.seq % 7 === 6 ? undefined : deliver(result)) }
  },
  {
    name: "the result of a failed run lost",
    breaks: ["one-result"],
    overrides: { deliver: (result, deliver) => (result.outcome === "failed" ? undefined : deliver(result)) }
  },
  {
    name: "every seventh result sent twice",
    breaks: ["one-result"],
    overrides: {
      deliver: (result, deliver) => {
        deliver(result)
        if (result.seq % 7 === 6) deliver(result)
      }
    }
  },
  { name: "results after a stop", breaks: ["after-stop"], overrides: { stops: { starts: true, results: false } } },
  {
    name: "results in the order of starts",
    breaks: ["result-order", "result-time"],
    overrides: { deliver: inOrderOfStarts() }
  },
  {
    name: "results a millisecond late",
    breaks: ["result-time"],
    overrides: { deliver: (result, deliver, clock) => void clock.at(clock.nowMs() + 1, () => deliver(result)) }
  },
  { name: "seq in the order of ends", breaks: ["seq"], overrides: { deliver: inOrderOfEnds() } },
  {
    name: "seq from 1",
    breaks: ["seq"],
    overrides: { deliver: (result, deliver) => deliver({ ...result, seq: result.seq + 1 }) }
  },
  {
    name: "a failure reported as a success",
    breaks: ["outcome"],
    overrides: { deliver: (result, deliver) => deliver(result.outcome === "failed" ? { ...result, outcome: "ok" } : result) }
  },
  {
    name: "times by a wall clock that jumps",
    breaks: ["times"],
    overrides: {
      deliver: (result, deliver, clock) => {
        const offsetMs = clock.unsafeCurrentTimeMillis() - clock.nowMs()
        const onWall = { scheduledAtMs: result.scheduledAtMs + offsetMs, startedAtMs: result.startedAtMs + offsetMs }
        deliver({ ...result, ...onWall })
      }
    }
  },
  {
    name: "startedAt that is the end",
    breaks: ["times"],
    overrides: { deliver: (result, deliver, clock) => deliver({ ...result, startedAtMs: Math.round(clock.nowMs()) }) }
  }
]

/** All of them. */
export const feedFaults: ReadonlyArray<FeedFault> = [...startFaults, ...limitFaults, ...resultFaults]
