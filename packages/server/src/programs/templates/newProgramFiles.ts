/** Everything that `sibyl new` writes, by its path in the new folder. */
import { serverVersion } from "../../output/version.ts"
import { priceCase, upstreamDownCase } from "./goldenCaseFiles.ts"
import { programReadme } from "./programReadme.ts"
import { programSource } from "./programSource.ts"

/** The compiler that the guest SDK is built and tested with. */
const compilerVersion = "0.28.20"

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

const packageJson = (name: string): string =>
  json({
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: { build: "sibyl build", test: "sibyl test" },
    devDependencies: {
      "@sibyl/programs": `^${serverVersion}`,
      "@sibyl/server": `^${serverVersion}`,
      assemblyscript: compilerVersion
    }
  })

/** The files of a new program, in the order in which they are written. */
export const newProgramFiles = (name: string): ReadonlyArray<readonly [path: string, text: string]> => [
  ["index.ts", programSource],
  ["cases/btc-usd.json", priceCase],
  ["cases/upstream-down.json", upstreamDownCase],
  ["package.json", packageJson(name)],
  ["tsconfig.json", json({ extends: "assemblyscript/std/assembly.json", include: ["index.ts"] })],
  ["README.md", programReadme(name)],
  [".gitignore", "build/\nnode_modules/\n.sibyl/\n"]
]
