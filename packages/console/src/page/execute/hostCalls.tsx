/** What a program asked of the outside world, and when it was answered. */
import { membersOf } from "../visitor/members.ts"

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
    <div class="wide" role="region" aria-label="Host calls" tabIndex={0}>
      <table class="runs">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {calls.map((call: unknown, at) => (
            <tr key={at}>
              {cells(call).map((text, column) => (
                <td key={column}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
