/** Styles of the pictures of a plan: the bar of what it took, and the requests on a line of time. They are a part of the shared plan sheet. */
export const PICTURE_STYLES = `.cost-strip,
.sent-bar {
  display: block;
  width: 100%;
}

.cost-strip {
  border-radius: 3px;
}

/* What is later stands where reading goes on. */
.cost-strip,
.sent-bar {
  transform: scaleX(var(--start, 1));
}

.cost-strip rect,
.sent-bar rect {
  fill: var(--list);
}

.cost-strip .lane-track,
.sent-bar .lane-track {
  fill: var(--plan-raised);
}

.part-mark {
  display: inline-block;
  width: 0.75em;
  height: 0.75em;
  background: var(--list);
  border-radius: 2px;
}

.part-source,
.part-list,
.part-columns,
.part-having {
  --list: #5fdcb6;
}

.part-counts {
  --list: #a8b8d8;
}

.part-pageIndex {
  --list: #f294c9;
}

.part-written,
.part-item {
  --list: #8fd3d9;
}

.part-slice {
  --list: #e58ba0;
}

.part-beside {
  --list: #d9c39a;
}

.part-register {
  --list: #6f8a81;
}

.cost-parts {
  display: flex;
  flex-wrap: wrap;
  gap: var(--gap-1) var(--gap-5);
  margin: var(--gap-2) 0 0;
  padding: 0;
  font-variant-numeric: tabular-nums;
  list-style: none;
}

.cost-price b,
.cost-all b {
  color: var(--plan-gem);
}

.rounds,
.sent {
  margin: 0;
  padding: 0;
  list-style: none;
}

.round-head {
  display: flex;
  flex-wrap: wrap;
  gap: 0 var(--gap-3);
  margin-block: var(--gap-3) 0;
  color: var(--plan-soft);
  font-variant-numeric: tabular-nums;
}

.round-head b {
  color: var(--plan-ink);
}

.sent > li {
  border-top: 1px solid var(--plan-line);
}

.plan-body .sent-row {
  display: grid;
  grid-template-columns: minmax(0, 5fr) minmax(4rem, 6fr) 5.5em 5.5em;
  gap: 0 var(--gap-3);
  align-items: center;
  min-height: var(--target);
  color: var(--plan-ink);
  font-variant-numeric: tabular-nums;
  cursor: pointer;
  list-style: none;
}

.sent-row::-webkit-details-marker {
  display: none;
}

.sent-what::before {
  content: "▸";
  display: inline-block;
  width: 1.25em;
  color: var(--plan-gem);
}

[dir="rtl"] .sent-what::before {
  content: "◂";
}

[open] > .sent-row > .sent-what::before {
  transform: rotate(90deg);
}

.sent-what code {
  color: var(--plan-soft);
  overflow-wrap: anywhere;
}

.sent-figure {
  text-align: end;
  white-space: nowrap;
}

.sent-command {
  padding-bottom: var(--gap-3);
}

.sent-command p {
  margin: 0;
  color: var(--plan-soft);
}

.sent-command pre {
  margin-block: var(--gap-1) var(--gap-2);
  padding: var(--gap-3);
  overflow: auto;
  background: var(--plan-raised);
  border-radius: 3px;
  font-size: var(--size-small);
}

.head-note {
  display: block;
  max-width: 11rem;
  margin-inline-start: auto;
  color: var(--plan-soft);
  font-weight: 400;
  white-space: normal;
}

@media (max-width: 40rem) {
  .plan-body .sent-row {
    grid-template-columns: minmax(0, 1fr) auto auto;
    padding-block: var(--gap-2);
  }

  .sent-figure {
    min-width: 0;
    white-space: normal;
  }

  .sent-bar {
    grid-row: 2;
    grid-column: 1 / -1;
  }
}

/* Parts are told apart by their colours, beside their names and figures. */
@media (forced-colors: active) {
  .cost-strip,
  .sent-bar,
  .part-mark {
    forced-color-adjust: none;
  }
}`
