/** The guest SDK: everything that an oracle program needs from its host, in AssemblyScript. */
export { fromBase64 } from "./base64"
export { nowMs } from "./clock"
export { keccak256, secp256k1Verify } from "./crypto"
export {
  blockHeight,
  chainId,
  consensusReached,
  drId,
  execGasLimit,
  execInputs,
  execProgramId,
  gasPrice,
  memo,
  paybackAddress,
  replicationFactor,
  tallyGasLimit,
  tallyInputs,
  tallyProgramId
} from "./dataRequest"
export { Decimal, resultPlaces, unitsText } from "./decimal"
export { env, isTally } from "./environment"
export { Fields, inputFields } from "./fields"
export { fromHex, fromHexText, lowerHex, toHex } from "./hex"
export { httpFetch, HttpOptions, HttpResponse, proxyHttpFetch } from "./httpFetch"
export { argument, argumentCount, inputs, jsonInputs } from "./inputs"
export { isoTime } from "./isoTime"
export { JsonKind, JsonValue, parseJson } from "./json"
export { JsonObject } from "./jsonObject"
export { jsonBytes, jsonInteger, jsonString } from "./jsonWriter"
export { LastResult, lastResult } from "./lastResult"
export { logDebug, logError, logInfo, LogLevel, logs, logWarn, setLogLevel } from "./logLevels"
export { percentage } from "./percentage"
export { FeedPrice, feedId, fetchPrice, fetchPrices, latestPricesUrl } from "./priceFeed"
export { revealedUnits, setPriceResult, wantsJson } from "./priceResult"
export { exit, fail, log } from "./process"
export { isSignedByProxy } from "./proxySignature"
export { randomBytes } from "./random"
export { setResult, setResultJson, setResultText, setResultUint256 } from "./result"
export { storageDelete, storageRead, storageWrite } from "./storage"
export { agreedReveals, medianReveal, Reveal, reveals, setMedianResult } from "./tally"
export { Uint256 } from "./uint256"
