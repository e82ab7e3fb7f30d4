/** Takes secrets out of texts before they are on a screen, in a log or at a collector: those of a known form, and those that this process has read. */

const secret = "<secret>"

/** A secret that is known by its form. */
interface KnownForm {
  readonly form: RegExp
  /** What each of this form has in it, and next to no other text: as an expression, which is looked for first. */
  readonly mark: string
  readonly shown: string
}

const knownForms: ReadonlyArray<KnownForm> = [
  // Keys and tickets, mistyped ones too: anything that begins like one and has enough characters after its id.
  { form: /(sibylt?_[a-z0-9-]{1,32}_(?:[0-9a-f]{12}|[0-9a-f]{16}))_[0-9A-Za-z]+/g, mark: "sibylt?_", shown: `$1_${secret}` },
  // User, password or token in an address; it ends at the last @ before the path. Messages have the placeholders of a rule there.
  { form: /:\/\/(?!USER:PASSWORD@HOST[^\s@]*(?:\s|$))[^\s/?#"'`<>]+@/g, mark: ":\\/\\/", shown: `://${secret}@` },
  // Seeds of nkeys: S, the kind, 56 characters of base32.
  { form: /(?<![A-Z2-7])S[ACNOUX][A-Z2-7]{56}(?![A-Z2-7])/g, mark: "S[ACNOUX][A-Z2-7]{56}", shown: secret },
  { form: /-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----[^-"]*-----END \1PRIVATE KEY-----/g, mark: "-----BEGIN ", shown: secret }
]

const marks = knownForms.map(({ mark }) => mark)

/** Shorter texts are not taken for a secret: they would be found everywhere. */
const leastSecretChars = 6

const hidden = new Set<string>()

/** All of them in one expression: it goes over a line of the log once, however many they are. */
let hiddenForm: RegExp | undefined

/** What may have a secret in it. Texts next to never do, and one expression goes over them in half of the time of five. */
let suspicious = new RegExp(marks.join("|"))

const hide = (texts: ReadonlyArray<string>): void => {
  for (const text of texts) if (text.length >= leastSecretChars) hidden.add(text)
  if (hidden.size === 0) return
  // The longest first: one may be part of another.
  const longestFirst = [...hidden].toSorted((one, other) => other.length - one.length)
  const forms = longestFirst.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"))
  // A mask is found before what it is made of: somebody's password may be the word "secret", and texts are masked more than once.
  hiddenForm = new RegExp([secret, ...forms].join("|"), "g")
  suspicious = new RegExp([...forms, ...marks].join("|"))
}

/** A text as JSON escapes it, also within JSON within JSON: a line of the log is masked as a whole. */
const escapedForms = (text: string): ReadonlyArray<string> => {
  const once = JSON.stringify(text).slice(1, -1)
  if (once === text) return []
  const twice = JSON.stringify(once).slice(1, -1)
  return [once, twice, JSON.stringify(twice).slice(1, -1)]
}

/** Texts that {@link withoutSecrets} takes out from now on, in this process: as they are, escaped in JSON, percent-encoded and in base64. */
export const hideTexts = (texts: ReadonlyArray<string>): void =>
  hide(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text)
      return [text, ...escapedForms(text), encodeURIComponent(bytes.toString()), bytes.toString("base64"), bytes.toString("base64url")]
    })
  )

/** Bytes that {@link withoutSecrets} takes out from now on, in this process: in hex, in base64 and as a list of numbers. */
export const hideBytes = (bytes: Uint8Array): void => {
  const buffer = Buffer.from(bytes)
  const hex = buffer.toString("hex")
  const pairs = hex.match(/../g) ?? []
  const lists = [",", ", "].map((between) => bytes.join(between))
  const members = JSON.stringify(bytes).slice(1, -1)
  hide([hex, hex.toUpperCase(), pairs.join(" "), buffer.toString("base64"), buffer.toString("base64url"), ...lists, members])
}

/** The text without secrets; keys and tickets are cut after their public id. */
export const withoutSecrets = (text: string): string => {
  if (!suspicious.test(text)) return text
  const known = hiddenForm === undefined ? text : text.replace(hiddenForm, secret)
  return knownForms.reduce((shown, one) => shown.replace(one.form, one.shown), known)
}
