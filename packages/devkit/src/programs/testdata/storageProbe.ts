/** A program (AssemblyScript, as text) that counts its runs in its storage. */
export const storageProbe = `
import { inputFields, setResultText, storageDelete, storageRead, storageWrite } from "../sdk/index"

const key = Uint8Array.wrap(String.UTF8.encode("runs"))
const before = storageRead(key)
const runs = before === null ? 0 : before![0]
if (inputFields().flagOr("forget", false)) storageDelete(key)
else {
  const after = new Uint8Array(1)
  after[0] = runs + 1
  storageWrite(key, after)
}
setResultText(runs.toString())
`
