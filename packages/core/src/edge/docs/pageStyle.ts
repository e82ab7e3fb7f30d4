/** The style sheet of the documentation pages: light and dark by the reader's setting, without external resources. */

/** CSS text. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfc; --ink: #1d2126; --soft: #5b6470; --line: #e2e4e8; --shade: #f4f5f7; --accent: #0b63c5; --client: #7a4a00; --service: #12643a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e4e7eb; --soft: #9aa4b1; --line: #2b313a; --shade: #1c2127; --accent: #6db3ff; --client: #e6b566; --service: #6fd49a;
  }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 5rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.015em }
h2 { font-size: 1.3rem; margin: 3rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line) }
h3 { font-size: 1.05rem; margin: 2rem 0 .4rem }
p { margin: .4rem 0 .8rem; max-width: 46rem }
a { color: var(--accent); text-decoration: none }
a:hover { text-decoration: underline }
code, pre { font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
h3 code { font-size: 1em }
.lead { color: var(--soft); font-size: 1.05rem }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; margin: 1.2rem 0 0; font-size: .95rem }
.wide { overflow-x: auto; margin: .6rem 0 1rem }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
th, td { text-align: left; vertical-align: top; padding: .42rem 1rem .42rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--soft); font-weight: 500; font-size: .85rem }
td:first-child { white-space: nowrap }
td:last-child, th:last-child { padding-right: 0 }
.needed { color: var(--soft); font-size: .8rem; margin-left: .45rem }
pre {
  margin: .3rem 0 0; padding: .8rem 1rem; background: var(--shade); border-radius: .4rem; overflow: auto; max-height: 24rem; white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.step { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--service) }
.step.client { border-color: var(--client) }
.step p { margin: 0 }
.who { font-weight: 600; color: var(--service) }
.client .who { color: var(--client) }
`.trim()
