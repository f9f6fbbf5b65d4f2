import { PICTURE_STYLES } from './picture-styles.ts'

/**
 * Styles that all of Lapidary's pages have: the colours, what HTML elements begin with, and the plan panel. Each application has sheets of the same
 * names, which come after these and say what is different there. They are texts and no files, since a bundle takes no files along.
 */
export const SHARED_STYLES: { readonly [name in 'tokens' | 'base' | 'plan']: string } = {
  tokens: `:root {
  color-scheme: light dark;
  --text-font: "Avenir Next", "Segoe UI Variable Text", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --code-font: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace;
  --gap-1: 0.25rem;
  --gap-2: 0.5rem;
  --gap-3: 0.75rem;
  --gap-4: 1rem;
  --gap-5: 1.5rem;
  --gap-6: 2rem;
  --round: 6px;

  --ground: #eef2f0;
  --surface: #ffffff;
  --ink: #10211c;
  --ink-soft: #4b5d56;
  --line: #d3ddd8;
  --line-strong: #7b8d86;
  --accent: #0b6e58;
  --accent-ink: #ffffff;
  --accent-soft: #dcf1ea;
  --danger: #a8233a;
  --danger-soft: #fbe9ec;
  --focus: #0b6e58;

  /* The plan panel is an instrument: dark in both schemes, so that the lanes glow. */
  --plan-ground: #0e1f1a;
  --plan-raised: #16302a;
  --plan-line: #2b473f;
  --plan-ink: #eaf4f0;
  --plan-soft: #a5bcb4;
  --plan-gem: #5fdcb6;
  --plan-waste: #e58ba0;
  --plan-expected: #ffffff;
  --plan-note: #ffd479;
}

/* Of screens alone: paper is white. */
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #0a1310;
    --surface: #111e1a;
    --ink: #e7f0ec;
    --ink-soft: #a0b3ab;
    --line: #263831;
    --line-strong: #6e8279;
    --accent: #5fdcb6;
    --accent-ink: #06241c;
    --accent-soft: #15372d;
    --danger: #ff9aaa;
    --danger-soft: #3a1a21;
    --focus: #8ff0d2;
    --plan-ground: #0c1b17;
  }
}`,
  base: `*,
*::before,
*::after {
  box-sizing: border-box;
}

html {
  background: var(--ground);
  color: var(--ink);
  -webkit-text-size-adjust: 100%;
  text-size-adjust: 100%;
}

body {
  margin: 0;
  min-height: 100vh;
}

main {
  outline: none;
}

h1,
h2,
h3,
p,
ul,
ol,
dl,
dd,
fieldset,
legend {
  margin: 0;
  padding: 0;
  border: 0;
}

ul,
ol {
  list-style: none;
}

h1,
h2,
h3 {
  line-height: 1.2;
}

a {
  color: var(--accent);
  text-underline-offset: 0.15em;
}

code,
pre {
  font-family: var(--code-font);
}

button,
input,
select,
textarea {
  font: inherit;
  color: inherit;
}

:focus-visible {
  outline-offset: 2px;
  border-radius: 3px;
}

[tabindex="-1"]:focus-visible {
  outline: none;
}

.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  margin: -1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}

.skip-link {
  position: absolute;
  inset-block-start: var(--gap-2);
  inset-inline-start: var(--gap-2);
  background: var(--accent);
  color: var(--accent-ink);
  transform: translateY(-200%);
}

.skip-link:focus {
  transform: none;
}

.button {
  position: relative;
  isolation: isolate;
  display: inline-flex;
  align-items: center;
  justify-content: center;
  min-height: var(--target);
  border: 0;
  background: none;
  color: var(--accent-ink);
  font-weight: 600;
  text-decoration: none;
  cursor: pointer;
}

.button::before {
  content: "";
  position: absolute;
  z-index: -1;
  inset: 0;
  background: var(--accent);
  clip-path: polygon(
    var(--cut) 0,
    calc(100% - var(--cut)) 0,
    100% var(--cut),
    100% calc(100% - var(--cut)),
    calc(100% - var(--cut)) 100%,
    var(--cut) 100%,
    0 calc(100% - var(--cut)),
    0 var(--cut)
  );
}

.button:hover::before {
  filter: brightness(1.12);
}

.field {
  min-height: var(--target);
  background: var(--surface);
  border: 1px solid var(--line-strong);
  border-radius: var(--round);
}

textarea.field {
  display: block;
}

.field::placeholder {
  color: var(--ink-soft);
  opacity: 1;
}`,
  plan: `.plan-how {
  font-weight: 600;
}

.plan-text {
  overflow-wrap: anywhere;
}

.plan-facts {
  display: flex;
  flex-wrap: wrap;
  color: var(--plan-soft);
}

.plan-facts b {
  color: var(--plan-ink);
}

.plan-limits {
  padding-inline-start: var(--gap-3);
  border-inline-start: 3px solid var(--plan-note);
}

.plan table {
  width: 100%;
  border-collapse: collapse;
}

.plan th,
.plan td {
  border-top: 1px solid var(--plan-line);
  font-weight: 400;
  text-align: start;
}

.plan .number {
  text-align: end;
  white-space: nowrap;
}

.plan .expected {
  color: var(--plan-soft);
}

.step-name {
  display: flex;
}

.over {
  color: var(--plan-waste);
}

.branch {
  flex: none;
  color: var(--plan-soft);
  font-family: var(--code-font);
  white-space: pre;
}

.lane {
  display: block;
  width: 100%;
  overflow: visible;
}

.lane-track {
  fill: var(--plan-raised);
}

.list-0 {
  --list: #5fdcb6;
}

.list-1 {
  --list: #ffc95c;
}

.list-2 {
  --list: #7cc4ff;
}

.list-3 {
  --list: #ff9f80;
}

.list-4 {
  --list: #c3a6ff;
}

.list-5 {
  --list: #c6e86b;
}

.list-number {
  display: inline-block;
  min-width: 1.5em;
  padding-inline: 3px;
  background: var(--list);
  border-radius: 3px;
  color: #06241c;
  font-size: var(--size-small);
  font-weight: 700;
  text-align: center;
}

.step-request {
  display: block;
  color: var(--plan-soft);
}

.choice-bar {
  display: block;
  width: 100%;
  fill: var(--plan-soft);
}

.lane-expected {
  fill: var(--plan-expected);
}

${PICTURE_STYLES}`,
}
