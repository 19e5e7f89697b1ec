import { Html } from './html.ts'

/** No font or picture comes from elsewhere. */
export const style: Html = new Html(`<style>
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbf8f2, #17181b);
  --card: light-dark(#ffffff, #1f2125);
  --ink: light-dark(#26231e, #e8e4dc);
  --soft: light-dark(#6b6459, #a49d91);
  --line: light-dark(#e4ddd0, #33353b);
  --link: light-dark(#8a2f1d, #f0a98f);
  --serif: 'Iowan Old Style', Palatino, 'Palatino Linotype', 'Book Antiqua', Georgia, serif;
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 62rem; padding: 3rem 1.25rem 5rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif;
}
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.15; text-wrap: balance; }
h1 { font-size: clamp(2.2rem, 6vw, 3.2rem); margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1.5rem; margin: 3.2rem 0 0.4rem; }
p { margin: 0.5rem 0 1rem; max-width: 44rem; }
.soft, figcaption { color: var(--soft); }
a { color: var(--link); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:focus-visible, pre:focus-visible, textarea:focus-visible, button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font-family: var(--mono); font-size: 0.84em; }
nav { display: flex; flex-wrap: wrap; gap: 0.6rem; margin-top: 1.4rem; }
nav a { padding: 0.5rem 1rem; border: 1px solid var(--link); border-radius: 0.4rem; text-decoration: none; }
nav a:first-child { background: var(--link); color: var(--paper); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 0.8rem; padding: 0; list-style: none; }
.cards li { display: flex; flex-direction: column; padding: 0.9rem 1rem; }
.cards li, pre, .scroll { background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; }
.cards .top { display: flex; justify-content: space-between; align-items: baseline; gap: 0.5rem; }
.cards .count { font-family: var(--serif); font-size: 1.5rem; line-height: 1; }
.cards p { margin: 0.35rem 0 0; font-size: 0.88rem; color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { padding: 0.6rem 1rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-weight: 500; font-size: 0.82rem; }
td code { white-space: nowrap; }
td a { display: block; font-family: var(--mono); font-size: 0.8rem; overflow-wrap: anywhere; }
td a.be { font: inherit; }
figure { margin: 1.1rem 0; }
figcaption { font-size: 0.92rem; margin-bottom: 0.3rem; }
figcaption b { font-family: var(--mono); font-size: 0.8rem; color: var(--ink); }
p code { white-space: nowrap; }
pre code { font-size: inherit; }
.questions { display: flex; flex-wrap: wrap; gap: 0.5rem; padding: 0; margin: 0 0 1rem; list-style: none; font-size: 0.88rem; }
.questions a { display: block; padding: 0.25rem 0.75rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); text-decoration: none; }
.ask { display: grid; grid-template-columns: auto 1fr auto; gap: 0.6rem; align-items: start; }
.ask label { font: 600 0.8rem var(--mono); padding-top: 0.7rem; }
.ask textarea {
  padding: 0.6rem 0.75rem; field-sizing: content; min-height: 4.1rem; resize: vertical; color: var(--ink); font: 0.84rem/1.5 var(--mono);
  background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; overflow-wrap: anywhere;
}
.ask button, .more {
  padding: 0.6rem 1.2rem; color: var(--paper); font: inherit;
  background: var(--link); border: 1px solid var(--link); border-radius: 0.4rem; cursor: pointer;
}
.more { margin-top: 0.6rem; }
.answer { margin-top: 1rem; }
.answer p { margin: 0.3rem 0; max-width: none; font-size: 0.92rem; }
.asked { color: var(--soft); }
.asked a { font-family: var(--mono); font-size: 0.8rem; overflow-wrap: anywhere; }
.status { font-weight: 600; }
.problems { margin: 0.3rem 0 0.8rem; padding-left: 1.2rem; font-size: 0.92rem; }
.answer pre { max-height: 26rem; overflow: auto; }
[hidden] { display: none; }
pre { margin: 0; padding: 0.75rem 1rem; overflow-x: auto; line-height: 1.5; }
@media (max-width: 40rem) {
  body { padding-top: 2rem; }
  thead { display: none; }
  tr { display: block; padding: 0.7rem 1rem; border-top: 1px solid var(--line); }
  tr:first-child { border-top: 0; }
  th, td { display: block; padding: 0.1rem 0; border: 0; }
  td code { white-space: normal; }
  .ask { grid-template-columns: 1fr auto; }
  .ask label { grid-column: 1 / -1; padding: 0; }
}
</style>`)
