import type { Messages } from './en.ts'

export const planInGerman: Messages['plan'] = {
  label: 'Abfrageplan',
  how: 'Wie wurde diese Liste gelesen?',
  line: (rcu, rounds) => `Für ${rcu} RCU in ${rounds} gelesen.`,
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
  expected: 'erwartet',
  read: 'gelesen',
  used: 'gebraucht',
  itemsExpected: 'Einträge erwartet',
  rcuExpected: 'RCU erwartet',
  costliest: 'am teuersten',
  moreThanExpected: 'mehr als erwartet',
  lane: (shown, ahead, filtered) => `${shown} gezeigt, ${ahead} vorausgelesen, ${filtered} ausgefiltert`,
  picture: {
    took: 'Was es gekostet hat',
    parts: {
      ...{ list: 'Liste', columns: 'Spalten', counts: 'Zahlen', pageIndex: 'Seitenindex', written: 'Eben geschrieben' },
      ...{ slice: 'Aufgegeben', register: 'Verzeichnisse', item: 'Eintrag' },
    },
    lists: (lists) => `${lists} Listen`,
    expected: (rcu) => `${rcu} erwartet`,
    all: 'Zusammen',
    millionPages: (dollars) => `Eine Million solcher Seiten kostet ${dollars}`,
    prices: (region, day) => `nach Verbrauch in ${region}, Listenpreis vom ${day}`,

    requests: 'Anfragen, wie sie abgeschickt wurden',
    round: (number) => `Runde ${number}`,
    roundMeans: 'Anfragen einer Runde werden zusammen abgeschickt. Die nächste Runde wartet auf ihre Antworten.',
    together: (requests, milliseconds) => `${requests} in ${milliseconds} ms`,
    forAll:
      'Für alle Seiten: welche Indizes vollständig sind. Der Prozess liest das höchstens alle fünf Sekunden, und kein Plan einer Seite enthält es.',
    elsewhere: (requests) =>
      `Dazu ${requests} für mehrere Seiten zugleich; sie stehen bei der Seite, die sie abgeschickt hat.`,
    notWaitedFor: 'nicht abgewartet',
    refused: 'abgelehnt',
    bar: (from, milliseconds) => `abgeschickt nach ${from} ms, beantwortet in ${milliseconds} ms`,
    command: 'Als Befehl der AWS-Kommandozeile',
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyRefused: 'Das Kopieren wurde abgelehnt',
    endpoint:
      'Er fragt noch einmal dasselbe, für dieselbe Kapazität. Für eine Datenbank außerhalb von AWS braucht er noch --endpoint-url.',

    readAhead: 'vorausgelesen',
    filteredOut: 'ausgefiltert',
    position: 'position: das, wonach die Liste geordnet ist, dann die ID, damit kein Platz zweimal vorkommt',
  },
  beside: {
    highlights: 'Auswahl',
    suggestions: 'Entbehrliche Filter',
    gallery: 'Fotos von Kunden',
    posted: 'Der eben gesendete Kommentar',
    own: 'Der eigene Kommentar',
    votes: 'Die eigenen Stimmen',
    order: 'Die Reihenfolge ohne Auswahl',
  },

  why: 'Warum dieser Plan',
  plan: 'Plan',
  rounds: 'Runden',
  withRounds: 'Mit Runden',
  taken: 'Gewählt',
  withRoundsMeans: (roundPrice) => `RCU, und ${roundPrice} für jede Runde nach der ersten`,
  priced: 'Alle Werte sind erwartete. Der kleinste mit Runden gewinnt, dann die kleinere Zahl der Anfragen.',

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
    ['Vorausgelesen', 'Gelesen, um der Reihenfolge sicher zu sein, und auf kommenden Seiten gezeigt. Es ist bezahlt.'],
    ['Ausgefiltert', 'Gelesen und vom Filter abgelehnt: keine Seite zeigt es. Es ist bezahlt.'],
    ['Erwartet', 'Was der Planer annahm, bevor etwas lief; danach hat er den Plan gewählt.'],
  ],
}
