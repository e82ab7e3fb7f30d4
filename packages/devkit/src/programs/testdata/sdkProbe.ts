/** A program (AssemblyScript, as text) that uses every part of the guest SDK that the example programs do not use. */
export const sdkProbe = `
import {
  agreedReveals, argument, blockHeight, chainId, consensusReached, Decimal, drId, env, execGasLimit, execInputs,
  execProgramId, exit, fail, Fields, fromHex, gasPrice, HttpOptions, httpFetch, inputFields, inputs, isoTime,
  isSignedByProxy, isTally, jsonBytes, jsonInteger, jsonString, JsonKind, JsonObject, jsonInputs, keccak256, lastResult,
  log, logDebug, logError, logInfo, LogLevel, logs, logWarn, lowerHex, memo, nowMs, parseJson, paybackAddress,
  percentage,
  proxyHttpFetch, randomBytes, replicationFactor, reveals, secp256k1Verify, setLogLevel, setResult, setResultJson,
  setResultText, setResultUint256, tallyGasLimit, tallyInputs, tallyProgramId, toHex, Uint256, unitsText
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
  const type = response.header("content-type")
  setResultText(response.status.toString() + " " + response.url + " " + type + " " + response.text())
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
  const phase = isTally() ? " tally" : " exec"
  setResultText((missing === null ? "absent" : missing) + " " + env("KEY")! + " " + env("EMPTY")! + phase)
} else if (command == "fields") {
  const all = inputFields()
  const inner = all.fields("inner")
  const list = all.list("list")
  setResultJson(new JsonObject()
    .text("text", all.text("text")).text("or", all.textOr("none", "\\u00e9\\""))
    .integer("integer", all.integer("integer"))
    .integer("integerOr", all.integerOr("none", -7)).decimal("decimal", all.decimal("decimal"))
    .flag("flag", all.flag("flag"))
    .flag("flagOr", all.flagOr("none", true)).integer("length", list.length).flag("has", all.has("none"))
    .texts("names", [all.nameOf("a"), inner.nameOf("b"), inner.nameOfElement("c", 2)])
    .object("inner", new JsonObject().decimal("percentage", percentage(inner.value("percentage"), "it")))
    .json("empty", "[]"))
} else if (command == "take") {
  const all = inputFields().fields("object")
  const kind = env("KIND")!
  if (kind == "text") all.text("x")
  else if (kind == "integer") all.integer("x")
  else if (kind == "decimal") all.decimal("x")
  else if (kind == "flag") all.flag("x")
  else if (kind == "list") all.list("x")
  else if (kind == "fields") all.fields("x")
  else percentage(all.value("x"), all.nameOf("x"))
} else if (command == "arithmetic") {
  const all = inputFields()
  const a = all.decimal("a")
  const b = all.decimal("b")
  const results = [a.plus(b), a.minus(b), a.times(b), a.trimmed()]
  const texts = new Array<string>()
  for (let at = 0; at < results.length; at++) {
    const result = results[at]
    texts.push(result === null ? "none" : result.trimmed().toString())
  }
  setResultJson(new JsonObject().texts("results", texts))
} else if (command == "levels") {
  logDebug("not yet")
  logInfo("one\\ntwo")
  logWarn("three")
  logError("four")
  setLogLevel(LogLevel.Debug)
  logDebug("five")
  setLogLevel(LogLevel.Off)
  logError("never")
  if (logs(LogLevel.Error)) exit(9)
} else if (command == "last") {
  const last = lastResult()
  if (last === null) setResultText("none")
  else setResultText(toHex(last.bytes) + " " + jsonInteger(last.exitCode) + " " + jsonInteger(last.timestampMs))
} else if (command == "request") {
  const chain = chainId()
  setResultJson(new JsonObject().text("drId", drId()).text("exec", execProgramId()).text("tally", tallyProgramId())
    .integer("replicationFactor", replicationFactor()).integer("height", blockHeight())
    .integer("execGas", execGasLimit())
    .integer("tallyGas", tallyGasLimit()).text("gasPrice", gasPrice()).text("memo", toHex(memo()))
    .text("payback", paybackAddress()).text("chain", chain === null ? "none" : chain)
    .text("execInputs", toHex(execInputs())).text("tallyInputs", toHex(tallyInputs()))
    .text("consensus", !isTally() ? "unknown" : consensusReached() ? "yes" : "no"))
} else if (command == "time") setResultText(isoTime(inputFields().integer("seconds")))
else if (command == "signed") {
  const options = new HttpOptions()
  options.method = "post"
  options.body = inputs()
  const response = proxyHttpFetch("https://proxy.test/a?b", null, options)
  setResultText(isSignedByProxy(response, env("KEY")!, options) ? "yes" : "no")
} else if (command == "uint256") setResultUint256(Uint256.of(258))
else if (command == "clock") setResultText(jsonInteger(nowMs()))
else if (command == "integers") {
  setResultText(jsonInteger(i64.MIN_VALUE) + " " + jsonInteger(0) + " " + jsonInteger(i64.MAX_VALUE))
}
else if (command == "decimal") {
  const value = Decimal.parse(jsonInputs().get("value").text())
  const units: Uint256 | null = value === null ? null : value.units(2)
  setResultText(units === null ? "none" : unitsText(units, 2))
} else fail<void>("unknown command")
`
