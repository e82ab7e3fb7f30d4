/** The state that the host functions of one pass share. */
import type { Phase } from "@sibyl/core"
import type { ProgramEnvironment } from "./environment.ts"
import type { CallLimits } from "./callRefusal.ts"
import type { GasMeter } from "./gasMeter.ts"
import type { GuestMemory } from "./guestMemory.ts"
import type { OutputStream } from "./outputStream.ts"
import type { Replay } from "./replay.ts"

/** The host's side of one running program. */
export interface HostState {
  readonly phase: Phase
  readonly limits: CallLimits
  readonly environment: ProgramEnvironment
  readonly gas: GasMeter
  readonly memory: GuestMemory
  readonly replay: Replay
  readonly random: (length: number) => Uint8Array
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** The limits for which calls were refused. */
  readonly refusedCalls: Set<keyof CallLimits>
  /** The bytes that the next `call_result_write` copies. */
  pending: Uint8Array
  /** The bytes of the last `execution_result`. */
  result: Uint8Array
}
