/** The example programs for hosts: their names, example inputs, and once they are built their ids and bytes. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

/** The example programs with example inputs. */
export const examplePrograms = [
  {
    name: "crypto-price",
    asks: "the price of BTC/USD",
    inputs: {
      id: "0xe62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43",
      output_format: "json"
    }
  },
  {
    name: "metals-index",
    asks: "a basket of gold, silver, platinum and palladium",
    inputs: { weights: { gold: 50, silver: 30, platinum: 15, palladium: 5 }, output_format: "json" }
  },
  {
    name: "equity-session",
    asks: "AAPL in the session that is on",
    inputs: {
      session_ids: [
        "0x8c320e4cd87c6cef41513aead15db413cf9253211923fef6e87187a7f6688906",
        "0x49f6b65cb1de6b10eaf75e7c03ca029c306d0357e91b5311b175084a5ad55688",
        "0x5a207c4aa0114baecf852fcd9db9beb8ec715f2db48caa525dbd878fd416fb09",
        "0x241b9a5ce1c3e4bfc68e377158328628f1b478afaa796c4b1760bd3713c2d2d2"
      ],
      weights: [70, 90, 70, 60]
    }
  }
]

/** A file of the build, which is missing in a checkout that was not built, and in what was packed from one. */
const built = async (name, encoding) => {
  try {
    return await readFile(new URL(`build/${name}`, import.meta.url), encoding)
  } catch (cause) {
    if (cause.code !== "ENOENT") throw cause
    const remedy = "in a checkout, run `npm run build`; a package without it was packed before that"
    throw new Error(`The example programs are not built: @sibyl/programs has no build/${name} (${remedy}).`, { cause })
  }
}

/** The program's id: the Keccak-256 of its bytes, 64 hex characters. Rejects until the programs are built. */
export const programIdOf = async (name) => {
  const manifest = JSON.parse(await built("manifest.json", "utf8"))
  return manifest[name].id
}

/** The path of the program's module, which exists once the programs are built. */
export const programPath = (name) => fileURLToPath(new URL(`build/${name}.wasm`, import.meta.url))

/** The program's bytes. Rejects until the programs are built. */
export const programBytes = async (name) => new Uint8Array(await built(`${name}.wasm`))
