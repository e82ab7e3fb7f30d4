/** The same stored result requested in this process, without HTTP. */
import { openOracle, runOnce, seamRequest } from "./oracle.mjs"

const seconds = 3
const atOnce = 32

/** Calls a second. */
export const inProcess = async () => {
  const opened = await openOracle()
  await runOnce(opened)
  const { authorization, oracle, remembered } = opened
  const ask = () => oracle.service.fetch(seamRequest(remembered, authorization))
  let calls = 0
  const end = performance.now() + seconds * 1_000
  const caller = async () => {
    while (performance.now() < end) {
      await ask()
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  await oracle.close()
  return calls / seconds
}
