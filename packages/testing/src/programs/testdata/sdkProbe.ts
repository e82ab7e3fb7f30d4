/** A program (AssemblyScript, as text) that uses every part of the guest SDK that the example programs leave out. */
export const sdkProbe = `
import {
  argument, Decimal, env, exit, fail, fromHex, HttpOptions, httpFetch, inputs, isTally, jsonBytes, jsonInteger, jsonString,
  JsonKind, jsonInputs, keccak256, log, lowerHex, nowMs, parseJson, proxyHttpFetch, randomBytes, reveals, secp256k1Verify,
  setResult, setResultText, Uint256, unitsText
} from "../sdk/index"

const command = String.UTF8.decode(argument(2).buffer)
if (command == "keccak") setResult(keccak256(inputs()))
else if (command == "verify") {
  const all = inputs()
  const message = all.slice(97)
  setResultText(secp256k1Verify(message, all.slice(0, 64), all.slice(64, 97)) ? "yes" : "no")
} else if (command == "post") {
  const options = new HttpOptions().header("X-A", "a\\"\\\\\\n\\u00e9").header("b", "2")
  options.method = "POST"
  options.body = inputs()
  options.timeoutMs = 1500
  const response = httpFetch("https://a.test/?q=\\"\\t", options)
  setResultText(response.status.toString() + " " + response.url + " " + response.header("content-type") + " " + response.text())
} else if (command == "echo") {
  const options = new HttpOptions()
  options.body = inputs()
  setResult(httpFetch("https://a.test/", options).bytes)
} else if (command == "proxy") {
  const keyed = proxyHttpFetch("https://proxy.test/", "02ab")
  const open = proxyHttpFetch("https://proxy.test/")
  setResultText((keyed.isOk ? "ok " : "failed ") + keyed.text() + ", " + (open.isOk ? "ok " : "failed ") + open.text())
} else if (command == "log") {
  log("first\\n")
  log("s\\u00e9cond\\ud800\\n")
} else if (command == "exit") exit(7)
else if (command == "abort") inputs()[1000]
else if (command == "long") fail<void>("x".repeat(1000) + "\\n")
else if (command == "random") setResult(randomBytes(5))
else if (command == "text") {
  const tree = jsonInputs()
  const list = tree.get("list").elements()
  let kinds = ""
  for (let at = 0; at < list.length; at++) kinds += jsonInteger(list[at].kind) + (list[at].isInteger() ? "i" : "") + " "
  setResultText(kinds + tree.get("text").text())
} else if (command == "bytes") {
  const bytes = jsonInputs().get("bytes").bytes()
  setResultText(bytes === null ? "none" : jsonBytes(bytes))
} else if (command == "deep") setResultText(jsonInputs().get("a").get("b").get("c").exists ? "yes" : "no")
else if (command == "env") {
  const missing = env("MISS")
  setResultText((missing === null ? "absent" : missing) + " " + env("KEY")! + " " + env("EMPTY")! + (isTally() ? " tally" : " exec"))
} else if (command == "clock") setResultText(jsonInteger(nowMs()))
else if (command == "integers") setResultText(jsonInteger(i64.MIN_VALUE) + " " + jsonInteger(0) + " " + jsonInteger(i64.MAX_VALUE))
else if (command == "decimal") {
  const value = Decimal.parse(jsonInputs().get("value").text())
  const units: Uint256 | null = value === null ? null : value.units(2)
  setResultText(units === null ? "none" : unitsText(units, 2))
} else fail<void>("unknown command")
`
