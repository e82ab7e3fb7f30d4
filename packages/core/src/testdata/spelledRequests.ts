/** One request in two forms: a GET, and a POST whose parameters are divided between query and body. */
import fc from "fast-check"

/** Both forms. */
export interface SpelledRequest {
  /** Path and query. */
  readonly get: string
  readonly post: { readonly target: string; readonly body: string }
}

/** The accepted forms of one id. */
const spelled = (id: string): fc.Arbitrary<string> => fc.constantFrom(id, `0x${id}`, id.toUpperCase(), `0X${id.toUpperCase()}`)

const input = fc.oneof(
  fc.fullUnicodeString({ maxLength: 30 }),
  fc.constantFrom("", "0x", "0x00ff", "a+b c%20", "0xabc", '{"a":1}', "é", "AA=="),
  fc.base64String({ maxLength: 20 }),
  fc.hexaString({ maxLength: 20 }).map((digits) => `0x${digits}`)
)

/** An input as an object in a body, with the text for it in a query. */
const structured = fc
  .oneof(fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 })), fc.array(fc.jsonValue({ maxDepth: 1 })))
  .map((value) => JSON.stringify(value))
  .map((text) => ({ query: text, body: text }))

const asText = input.map((text) => ({ query: text, body: JSON.stringify(text) }))

/** Requests for the programs with these ids; some are refused, and then in both forms. */
export const spelledRequests = (programId: fc.Arbitrary<string>): fc.Arbitrary<SpelledRequest> =>
  fc
    .record({
      exec: programId.chain((id) => fc.tuple(spelled(id), spelled(id))),
      tally: fc.option(
        programId.chain((id) => fc.tuple(spelled(id), spelled(id))),
        { nil: undefined }
      ),
      encoding: fc.constantFrom(undefined, "auto", "hex", "utf8", "base64"),
      execInputs: fc.option(fc.oneof(asText, structured), { nil: undefined }),
      tallyInputs: fc.option(asText, { nil: undefined }),
      inQuery: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      plus: fc.boolean()
    })
    .map(({ encoding, exec, execInputs, inQuery, plus, tally, tallyInputs }) => {
      // A structured input is its own JSON whatever the encoding; a query can only contain it as text.
      const isStructured = execInputs !== undefined && execInputs.query === execInputs.body
      const inputEncoding = isStructured ? undefined : encoding
      const parameters = [
        ["execProgramId", exec[0], JSON.stringify(exec[1])],
        ["tallyProgramId", tally?.[0], JSON.stringify(tally?.[1])],
        ["inputEncoding", inputEncoding, JSON.stringify(inputEncoding)],
        ["execInputs", execInputs?.query, execInputs?.body],
        ["tallyInputs", tallyInputs?.query, tallyInputs?.body]
      ] as const
      const pair = (name: string, value: string): string => {
        const percent = encodeURIComponent(value)
        return `${name}=${plus ? percent.replaceAll("%20", "+") : percent}`
      }
      const given = parameters.filter(([, value]) => value !== undefined)
      const query = given.filter((_, index) => inQuery[index] ?? false).map(([name, value]) => pair(name, value ?? ""))
      const members = given.filter((_, index) => !(inQuery[index] ?? false)).map(([name, , text]) => `"${name}":${text}`)
      return {
        get: `/execute?${given.map(([name, value]) => pair(name, value ?? "")).join("&")}`,
        post: { target: `/execute?${query.join("&")}`, body: `{${members.join(",")}}` }
      }
    })
