/** What a program asked of the outside world, and when it was answered. */
import { membersOf } from "../visitor/members.ts"
import { RowTable } from "../visitor/rowTable.tsx"

const heads = ["Status", "Bytes", "After", "Asked for"]

/** A file may have anything in these places. */
const textOf = (value: unknown, absent = ""): string => (typeof value === "string" || typeof value === "number" ? `${value}` : absent)

const cells = (call: unknown): ReadonlyArray<string> => {
  const { answeredAfterMs, bytes, kind, request, status } = membersOf(call)
  const asked = kind === "fetch" ? textOf(request) : `${textOf(kind)} ${textOf(request)}`
  return [kind === "fetch" || kind === "proxyFetch" ? textOf(status, "none") : "", textOf(bytes), `${textOf(answeredAfterMs)} ms`, asked]
}

/** A line for each call; nothing without one. */
export const HostCalls = ({ calls }: { readonly calls: unknown }) =>
  !Array.isArray(calls) || calls.length === 0 ? null : (
    <RowTable label="Host calls" heads={heads}>
      {calls.map((call: unknown, at) => (
        <tr key={at}>
          {cells(call).map((text, column) => (
            <td key={column}>{text}</td>
          ))}
        </tr>
      ))}
    </RowTable>
  )
