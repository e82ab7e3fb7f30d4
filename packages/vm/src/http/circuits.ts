/** Hosts that do not answer are left alone for a while: programs that ask them are refused at once, and hold no worker and no connection. */
import { LRUCache } from "lru-cache"

/** How long a host is left alone at first, and at most, in ms: it doubles with every attempt that fails. */
export const [firstRestMs, longestRestMs] = [1_000, 16_000]

/** How many hosts are known at most. */
const maxHosts = 4_096

/** What has become of a request: answered, or not, or nothing that says how the host is. */
export type Sign = "well" | "failed" | "none"

/** How one host does. */
interface Circuit {
  /** In a row, while requests are let through. */
  failures: number
  /** Until then none is; 0 while they are. */
  restUntilMs: number
  restMs: number
  /** One request tries the host after its rest. */
  isTried: boolean
}

/** Told when a host begins to rest for so many ms, and when it answers again (0). */
export type OnRest = (host: string, restMs: number) => void

/** The circuits of hosts, by name. */
export class Circuits {
  private readonly hosts = new LRUCache<string, Circuit>({ max: maxHosts })
  private readonly mostFailures: number
  private readonly nowMs: () => number
  private readonly onRest: OnRest

  /** After `mostFailures` in a row a host rests; 0: never. */
  constructor(mostFailures: number, onRest: OnRest = () => {}, nowMs: () => number = () => performance.now()) {
    this.mostFailures = mostFailures
    this.onRest = onRest
    this.nowMs = nowMs
  }

  /** Whether a request to the host may be sent. Where it is, {@link ended} must be called. */
  admits(host: string): boolean {
    const circuit = this.hosts.get(host)
    if (circuit === undefined || circuit.restUntilMs === 0) return true
    if (circuit.isTried || this.nowMs() < circuit.restUntilMs) return false
    circuit.isTried = true
    return true
  }

  /** What has become of a request that was admitted. Requests that were under way when the host's rest began change nothing any more. */
  ended(host: string, sign: Sign): void {
    if (this.mostFailures === 0) return
    const circuit = this.hosts.get(host)
    if (sign === "well") {
      if (circuit === undefined) return
      this.hosts.delete(host)
      if (circuit.restUntilMs > 0) this.onRest(host, 0)
    } else if (circuit === undefined) {
      if (sign === "failed") this.failed(host, { failures: 0, restUntilMs: 0, restMs: 0, isTried: false })
    } else if (circuit.restUntilMs > 0 && !circuit.isTried) return
    else if (sign === "failed") this.failed(host, circuit)
    else circuit.isTried = false
  }

  private failed(host: string, circuit: Circuit): void {
    circuit.failures += 1
    if (circuit.failures >= this.mostFailures) {
      circuit.restMs = circuit.restMs === 0 ? firstRestMs : Math.min(longestRestMs, 2 * circuit.restMs)
      circuit.restUntilMs = this.nowMs() + circuit.restMs
      circuit.isTried = false
      this.onRest(host, circuit.restMs)
    }
    this.hosts.set(host, circuit)
  }
}
