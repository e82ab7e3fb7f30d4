/** Says what is wrong with a project's books: the journal is the judge of everything else. */
import type { Books, JournalLine } from "./books.ts"

interface Sums {
  granted: bigint
  used: bigint
  held: bigint
}

/** What the journal adds up to, and every line that cannot follow the ones before it. */
const addUp = (journal: ReadonlyArray<JournalLine>) => {
  const sums: Sums = { granted: 0n, used: 0n, held: 0n }
  const open = new Map<string, bigint>()
  const faults: Array<string> = []
  const resolve = ({ credits, entry, holdId, kind }: JournalLine): void => {
    const amount = open.get(holdId ?? "")
    if (amount === undefined) return void faults.push(`entry ${entry}: a ${kind} of a hold that is not open`)
    if (kind === "post" && credits > amount) faults.push(`entry ${entry}: ${credits} posted of a hold of ${amount}`)
    open.delete(holdId ?? "")
    sums.held -= amount
    if (kind === "post") sums.used += credits
  }
  for (const [at, line] of journal.entries()) {
    if (line.entry !== at + 1) faults.push(`entry ${line.entry} stands at place ${at + 1}`)
    if (line.kind === "grant") sums.granted += line.credits
    else if (line.kind === "hold") {
      open.set(line.holdId ?? "", line.credits)
      sums.held += line.credits
    } else resolve(line)
    if (sums.granted < sums.used + sums.held) faults.push(`entry ${line.entry}: the balance is overdrawn`)
  }
  return { sums, open, faults }
}

const accountFaults = ({ account, journal }: Books, sums: Sums): ReadonlyArray<string> => {
  const names = ["granted", "used", "held"] as const
  const wrong = names.filter((name) => account[name] !== sums[name])
  const last = account.lastEntry === journal.length ? [] : [`the last entry is kept as ${account.lastEntry}`]
  return [...wrong.map((name) => `${name}: kept ${account[name]}, journal ${sums[name]}`), ...last]
}

const holdFaults = ({ holds }: Books, open: ReadonlyMap<string, bigint>): ReadonlyArray<string> => {
  const kept = new Map(holds.filter(({ state }) => state === "held").map(({ amount, holdId }) => [holdId, amount]))
  return [...new Set([...kept.keys(), ...open.keys()])]
    .filter((holdId) => kept.get(holdId) !== open.get(holdId))
    .map((holdId) => `hold ${holdId}: kept ${kept.get(holdId)}, journal ${open.get(holdId)}`)
}

const reportFaults = ({ journal, reports }: Books): ReadonlyArray<string> => {
  const posts = new Map(journal.filter(({ kind }) => kind === "post").map(({ credits, entry }) => [entry, credits]))
  const faults = reports
    .filter(({ entry, total }) => posts.get(entry) !== total)
    .map(({ entry, total }) => `report of entry ${entry}: costs ${total}, charged ${posts.get(entry)}`)
  const reported = new Set(reports.map(({ entry }) => entry))
  const bare = [...posts.keys()].filter((entry) => !reported.has(entry))
  const ids = new Set(reports.map(({ id }) => id))
  const moments = new Set(reports.map(({ drId, timestamp }) => `${drId} ${timestamp}`))
  return [
    ...faults,
    ...bare.map((entry) => `the charge of entry ${entry} has no report`),
    ...(ids.size === reports.length ? [] : ["two reports have one id"]),
    ...(moments.size === reports.length ? [] : ["two results of one request have one timestamp"])
  ]
}

/** Every fault of a project's books, in words; none when they balance. Open holds are no fault by themselves. */
export const judgeBooks = (books: Books): ReadonlyArray<string> => {
  const { faults, open, sums } = addUp(books.journal)
  return [...faults, ...accountFaults(books, sums), ...holdFaults(books, open), ...reportFaults(books)].map(
    (fault) => `project ${books.projectId}: ${fault}`
  )
}

/** Holds that are still open although their lease was over at `untilMs`; `Infinity`: every open hold. */
export const unresolved = (books: Books, untilMs: number): ReadonlyArray<string> =>
  books.holds
    .filter(({ leaseEndMs, state }) => state === "held" && leaseEndMs <= untilMs)
    .map(({ holdId }) => `project ${books.projectId}: the hold ${holdId} is unresolved`)

/** The credits of open holds whose lease is not over at a moment. */
export const heldAt = ({ holds }: Books, ms: number): bigint =>
  holds.filter(({ leaseEndMs, state }) => state === "held" && leaseEndMs > ms).reduce((sum, { amount }) => sum + amount, 0n)
