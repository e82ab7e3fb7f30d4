/** Tests over a real NATS server: skipped, with the reason, where none is installed. */
import { startNats, whyNoNats } from "@sibyl/testing"
import { describe } from "vitest"

export { startNats }

/** Defines tests that need NATS. */
export const describeNats = (title: string, define: () => void): void => {
  describe.skipIf(whyNoNats !== undefined)(whyNoNats === undefined ? title : `${title} (skipped: ${whyNoNats})`, define)
}
