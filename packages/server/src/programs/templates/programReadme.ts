/** The README that `sibyl new` writes for a program. */

/** Its text. */
export const programReadme = (name: string): string => `# ${name}

An Oracle Program. \`index.ts\` is AssemblyScript over the guest SDK; \`cases/\` holds golden cases: inputs, recorded
answers of the upstream, and what has to come out.

\`\`\`sh
npx sibyl build                                  # build/${name}.wasm, and its id in build/${name}.id
npx sibyl test                                   # the golden cases, in the engine of the server; nothing goes out
npx sibyl run build/${name}.wasm --inputs '{}'   # once, against the real upstream
npx sibyl deploy build/${name}.wasm --data ../.sibyl   # into the data folder of a server, here the one that was started a folder above
\`\`\`

The host that it asks wants an API key since August 2026. An operator gives it, in \`sibyl.json\` for \`run\` as for a server:
\`{ "outbound": { "hostHeaders": { "hermes.pyth.network": { "authorization": { "env": "HERMES_AUTHORIZATION" } } } } }\`, with
\`Bearer YOUR_KEY\` in that variable. \`run --demo\` asks a simulated market instead; \`run --record cases/today.json\` also keeps the run as a golden case.

Inside a clone of Sibyl nothing needs to be installed. Elsewhere \`npm install\` fetches what package.json names.
`
