/** Tests that need a NATS server: skipped, with the reason, where none is installed. */
import { whyNoNats } from "@sibyl/testing"
import { describe } from "vitest"

/** Defines them. */
export const describeNats = (title: string, define: () => void): void => {
  describe.skipIf(whyNoNats !== undefined)(whyNoNats === undefined ? title : `${title} (skipped: ${whyNoNats})`, define)
}
