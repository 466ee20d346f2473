import type { Html } from './html.ts';

/** Of the report: one column on a phone, no colours that paper cannot show, no issue torn apart between two sheets. */
export const styles: Html = {
  text: `
:root { --good: #0a7a3d; --fair: #a35a00; --poor: #c0262d; --ink: #1b1f24; --soft: #59636e; --line: #d9dee3; --paper: #fff; --wash: #f5f7f9; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 3rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: 0 0 .5rem; }
a { color: #0b57a4; }
ul, ol { margin: 0; padding: 0; list-style: none; }
.kind { color: var(--soft); font-size: .85rem; text-transform: uppercase; letter-spacing: .06em; margin: 0; }
.facts, .count { color: var(--soft); font-size: .875rem; margin: 0; font-weight: 400; }
.warnings { border-left: 4px solid var(--fair); background: var(--wash); padding: .5rem .75rem; margin: 1rem 0 0; }
.scores { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: 1rem .5rem; }
.score { display: flex; flex-direction: column; align-items: center; text-align: center; }
.ring { width: 4.5rem; height: 4.5rem; border-radius: 50%; display: grid; place-items: center; margin-bottom: .35rem; background: radial-gradient(closest-side, var(--paper) 78%, transparent 80%), conic-gradient(var(--grade) calc(var(--share) * 1%), var(--line) 0); }
.ring b { font-size: 1.4rem; color: var(--grade); }
.score .name { font-weight: 600; }
.score .grade { color: var(--soft); font-size: .8rem; }
.good { --grade: var(--good); } .fair { --grade: var(--fair); } .poor { --grade: var(--poor); } .none { --grade: var(--soft); }
.metrics { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 0 1.5rem; }
.metrics li { display: grid; grid-template-columns: 1fr auto; padding: .4rem 0; border-bottom: 1px solid var(--line); }
.metrics b { color: var(--grade); }
.range { grid-column: 1 / -1; color: var(--soft); font-size: .8rem; }
.filmstrip { display: grid; grid-template-columns: repeat(8, 1fr); gap: .4rem; margin-bottom: 1rem; }
.filmstrip img { width: 100%; display: block; border: 1px solid var(--line); }
.filmstrip span { display: block; text-align: center; font-size: .75rem; color: var(--soft); }
.shot { display: block; border: 1px solid var(--line); width: 100%; height: auto; }
.shot.mobile { max-width: 16rem; }
.issue { border: 1px solid var(--line); border-left: 5px solid var(--mark); border-radius: 4px; padding: .75rem 1rem; margin-bottom: .75rem; }
.critical { --mark: var(--poor); } .serious { --mark: #d9541e; } .moderate { --mark: var(--fair); } .minor { --mark: #8b949e; }
.tags { display: flex; flex-wrap: wrap; gap: .25rem .75rem; color: var(--soft); font-size: .85rem; }
.severity { color: var(--mark); font-weight: 600; }
.evidence { background: var(--wash); padding: .5rem .75rem; font-size: .85rem; }
.evidence li + li { border-top: 1px solid var(--line); margin-top: .35rem; padding-top: .35rem; }
.evidence span, .evidence code { display: block; }
.evidence .url { color: var(--soft); }
code { font: .8rem/1.45 ui-monospace, monospace; white-space: pre-wrap; }
.passed .groups { columns: 18rem auto; column-gap: 2rem; }
.passed .groups div { break-inside: avoid-column; margin-bottom: 1rem; }
.passed li { font-size: .875rem; padding-left: 1.2em; text-indent: -1.2em; }
.passed li::before { content: "✓ "; color: var(--good); }
footer { color: var(--soft); font-size: .875rem; }
@media (max-width: 32rem) {
  .scores { grid-template-columns: repeat(3, 1fr); }
  .score.large { grid-column: 1 / -1; }
  .filmstrip { grid-template-columns: repeat(4, 1fr); }
  .ring { width: 4rem; height: 4rem; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  .issue, .score, .metrics li, .filmstrip { break-inside: avoid; }
  .scores { grid-template-columns: repeat(auto-fit, minmax(4.6rem, 1fr)); }
  .ring { width: 3.8rem; height: 3.8rem; }
  .shot, .shot.mobile { width: auto; max-width: 100%; max-height: 8cm; }
  .fix a { display: none; }
  h2, h3 { break-after: avoid; }
  .passed .groups { columns: 2; }
  a { color: inherit; text-decoration: none; }
}
@page { margin: 15mm; }
`,
};
