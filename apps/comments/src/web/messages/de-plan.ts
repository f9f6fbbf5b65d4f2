import type { Messages } from './en.ts'

export const planInGerman: Messages['plan'] = {
  label: 'Abfrageplan',
  how: 'Wie wurde diese Liste gelesen?',
  line: (rcu, rounds) => `Für ${rcu} RCU in ${rounds} gelesen.`,
  forList: (expected) => `für die Liste, ${expected} erwartet`,
  forCounts: 'für die Zahlen',
  forPageIndex: 'für den Seitenindex',
  forHighlights: 'für die Auswahl',
  shownOf: (shown, read) => `${shown} von ${read} gelesenen gezeigt`,
  layout: 'Layout',
  ran: 'Was gelaufen ist',
  limits: 'Grenzen und Warnungen',
  notes: {
    filter: (share) => `Der Filter lässt ${share} des Gelesenen durch; ein Index auf seine Facetten wäre günstiger.`,
    filtered: (share, items) =>
      `Der Filter hat ${share} der gelesenen Einträge (${items}) durchgelassen; ein Index auf seine Facetten wäre günstiger.`,
    having: (share) => `Die Funktion hat ${share} des Geprüften durchgelassen; eine Facette dafür wäre günstiger.`,
    unreadable: (id, attribute, digits) =>
      `Ausgelassen: ${id}, dessen ${attribute} ${digits} ist, was sich nicht lesen lässt, wie es deklariert ist.`,
    stopped: {
      maxCapacity: 'Die Seite endet vorzeitig: mehr darf eine Anfrage nicht lesen.',
      maxBytes: 'Die Seite endet vorzeitig: mehr Bytes darf eine Anfrage nicht prüfen.',
      aborted: 'Die Seite endet vorzeitig: die Anfrage wurde aufgegeben.',
    },
    behind: 'Der Seitenindex ist im Rückstand: nach seinem letzten Kommentar gibt es weitere.',
    unknown: {
      absent: 'Für diese Deklaration ist noch nichts gezählt; Summen sind nicht bekannt.',
      filling: 'Es wird gerade gezählt; Summen sind noch nicht bekannt.',
      abandoned:
        'Eine andere Version des Programms zählt ohne das, was diese braucht; Summen sind erst bekannt, wenn sie beendet ist.',
      gap: 'Der Änderungsstrom hat Änderungen verloren; Summen sind bekannt, sobald eine Reparatur sie nachgeholt hat.',
      uncounted: 'Kein Prozess folgt dem Änderungsstrom; Summen sind nicht bekannt.',
    },
  },
  refusals: {
    sparse: (facet, values) => `enthält nur Kommentare mit ${facet} ${values}.`,
    scope: {
      one: 'hat Listen für je ein Produkt, und die Abfrage gilt allen.',
      all: 'hat Listen über alle Produkte, und die Abfrage gilt einem.',
    },
    values: {
      open: (facet) =>
        `hat eine Liste je ${facet}, und die Abfrage legt das nicht fest; nicht alle Werte sind bekannt.`,
      range: (facet) =>
        `hat eine Liste je ${facet}, und die Abfrage nennt einen Bereich; nicht alle Werte sind bekannt.`,
    },
    key: {
      null: (facet) => `enthält nichts ohne ${facet}.`,
      empty: (facet) => `enthält nichts, bei dem ${facet} leer ist oder fehlt.`,
    },
    assembled: (collection) => `enthält jeden Eintrag von ${collection} für sich.`,
    sources: (needed, most) => `bräuchte ${needed} Listen; ein Plan liest höchstens ${most}.`,
    absent: 'fehlt in der Tabelle, oder DynamoDB legt ihn noch an.',
    filling: 'wird noch nicht benutzt: es sind noch nicht alle Kommentare darin.',
    duplicates: 'wird noch nicht benutzt: es sind noch nicht alle Duplikate da.',
    redeclared: 'wird nicht benutzt: in der Tabelle ist er anders deklariert.',
    differs: (what, actual) => `wird nicht benutzt: ${what} ist ${actual}.`,
  },
  nothing: {
    unmatched: 'kein Wert und keine Zeit bleibt übrig',
    indexed: 'der Seitenindex hat in keiner Liste einen Kommentar',
  },
  letsThrough: (share) => `lässt ${share} durch`,
  noLimits: 'Keine Grenze wurde erreicht.',
  freeHighlights: 'Die Auswahl steht auf dieser Seite und hat nichts weiter gekostet.',
  basis: {
    statistics: 'Die erwarteten Werte kommen aus der Statistik: genauen Zahlen der Kommentare zu diesem Produkt.',
    declared:
      'Die erwarteten Werte kommen aus den Häufigkeiten, die für jede Bewertung angegeben sind; eine Statistik dieses Produkts ist nicht bekannt.',
    default:
      'Die erwarteten Werte nehmen jeden Wert als gleich häufig an; weder Häufigkeiten noch eine Statistik sind bekannt.',
  },
  json: 'Der Plan als JSON',
  copy: 'Als JSON kopieren',
  copied: 'Kopiert',
  copyRefused: 'Das Kopieren wurde abgelehnt',

  became: (lists) => `Wie ${lists} zu dieser Seite wurden`,
  slots: (told) => `Vom ersten bis zum letzten Kommentar der Seite: ${told}`,
  slotsFrom: (count, list) => `${count} aus ${list}`,
  firstSlot: 'erster Kommentar',
  lastSlot: 'letzter',

  steps: {
    limit: 'Begrenzen',
    merge: 'Mischen',
    having: 'Prüfen',
    filter: 'Filtern',
    source: 'Lesen',
    empty: 'Nichts zu lesen',
    counts: 'Zahlen',
    columns: 'Spalten',
    pageIndex: 'Seitenindex',
    slice: 'Aufgegeben',
    written: 'Geschrieben',
  },
  request: (limit) => `höchstens ${limit}, letztlich konsistent`,
  step: 'Schritt',
  items: 'Einträge',
  shown: 'gezeigt',
  discarded: 'verworfen',
  expected: 'erwartet',
  read: 'gelesen',
  used: 'gebraucht',
  itemsExpected: 'Einträge erwartet',
  rcuExpected: 'RCU erwartet',
  costliest: 'am teuersten',
  moreThanExpected: 'mehr als erwartet',
  lane: (shown, discarded, ahead, filtered) =>
    `${shown} gezeigt, ${discarded} verworfen: ${ahead} voraus gelesen, ${filtered} ausgefiltert`,

  why: 'Warum dieser Plan',
  plan: 'Plan',
  rounds: 'Runden',
  withRounds: 'Mit Runden',
  taken: 'Gewählt',
  priced: (roundPrice) =>
    `Erwartete Werte. Jede Runde nach der ersten zählt ${roundPrice} RCU; der kleinste Preis gewinnt, dann die kleinere Zahl der Anfragen.`,

  wordsTitle: 'Was bedeuten diese Wörter?',
  words: [
    [
      'RCU',
      'Read Capacity Unit, die Einheit, in der DynamoDB das Lesen abrechnet. Eine halbe Einheit liest bis zu 4 KB einer Liste; jede gelesene Liste kostet mindestens so viel.',
    ],
    ['Runde', 'Anfragen, die zusammen abgeschickt werden. Eine Runde dauert so lange wie ihre langsamste Anfrage.'],
    ['Liste', 'Die Kommentare unter einem Schlüssel eines Index, schon sortiert: Produkt 42, Englisch, 5 Sterne.'],
    [
      'Mischen',
      'Aus mehreren sortierten Listen wird eine, indem immer der neueste vorliegende Kommentar genommen wird.',
    ],
    [
      'Verworfen',
      'Gelesen, aber nicht gezeigt: im Voraus gelesen, um der Reihenfolge sicher zu sein, oder von einem Filter abgelehnt. Es kostet trotzdem.',
    ],
    ['Erwartet', 'Was der Planer annahm, bevor etwas lief; danach hat er den Plan gewählt.'],
  ],
}
