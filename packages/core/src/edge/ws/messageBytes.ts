/** How long a WebSocket message may be: as long as a body of its project. */
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import type { Limits } from "../../domain/settings/limits.ts"

const leastBound = 8_388_608

/**
 * The longest message of any project, in bytes. A runtime has one bound for all its connections, so there is room for
 * projects with a limit above the service's own.
 */
export const maxMessageBytesOf = ({ requestBytes }: Pick<Limits, "requestBytes">): number => Math.max(requestBytes, leastBound)

/** Whether a text has more bytes than that in UTF-8. No character has more than three for each of its code units. */
export const isLongerThan = (text: string, maxBytes: number): boolean =>
  text.length > maxBytes || (text.length * 3 > maxBytes && fromUtf8(text).length > maxBytes)
