import type { Messages } from './en.ts'

export const planInSpanish: Messages['plan'] = {
  label: 'Plan de consulta',
  how: '¿Cómo se leyó esta lista?',
  line: (rcu, rounds) => `Leído por ${rcu} RCU en ${rounds}.`,
  forList: (expected) => `por la lista, ${expected} previsto`,
  forCounts: 'por las cifras',
  forPageIndex: 'por el índice de páginas',
  forHighlights: 'por los destacados',
  shownOf: (shown, read) => `${shown} mostrados de ${read} leídos`,
  layout: 'disposición',
  ran: 'Qué se ejecutó',
  limits: 'Límites y avisos',
  notes: {
    filter: (share) => `El filtro deja pasar el ${share} de lo que lee; un índice de sus facetas costaría menos.`,
    filtered: (share, items) =>
      `El filtro dejó pasar el ${share} de los elementos leídos (${items}); un índice de sus facetas costaría menos.`,
    having: (share) => `La función dejó pasar el ${share} de lo que juzgó; una faceta para ello costaría menos.`,
    unreadable: (id, attribute, digits) =>
      `Omitido: ${id}, cuyo ${attribute} es ${digits}, que no se puede leer como está declarado.`,
    stopped: {
      maxCapacity: 'La página acaba antes: una petición no puede leer más.',
      maxBytes: 'La página acaba antes: una petición no puede juzgar más bytes.',
      aborted: 'La página acaba antes: la petición se abandonó.',
    },
    behind: 'El índice de páginas va con retraso: hay comentarios después del último que tiene.',
    unknown: {
      absent: 'Aún no se ha contado nada para esta declaración; los totales no se conocen.',
      filling: 'Se está contando; los totales aún no se conocen.',
      abandoned:
        'Otra versión del programa cuenta sin lo que esta necesita; los totales no se conocerán hasta que termine.',
      gap: 'El flujo de cambios ha perdido algunos; los totales se conocerán cuando una reparación los recupere.',
      uncounted: 'Ningún proceso sigue el flujo de cambios; los totales no se conocen.',
    },
  },
  refusals: {
    sparse: (facet, values) => `solo contiene comentarios con ${facet} ${values}.`,
    scope: {
      one: 'tiene listas de un producto cada una, y la consulta pide todos.',
      all: 'tiene listas de todos los productos, y la consulta pide uno.',
    },
    values: {
      open: (facet) => `tiene una lista por ${facet}, que la consulta deja abierto; no se conocen todos los valores.`,
      range: (facet) =>
        `tiene una lista por ${facet}, y la consulta pide un intervalo; no se conocen todos los valores.`,
    },
    key: {
      null: (facet) => `no tiene nada sin ${facet}.`,
      empty: (facet) => `no tiene nada con ${facet} vacío o ausente.`,
    },
    assembled: (collection) => `contiene cada ${collection} por separado.`,
    sources: (needed, most) => `necesitaría ${needed} listas, y un plan lee ${most} como máximo.`,
    absent: 'no está en la tabla, o DynamoDB aún lo está creando.',
    filling: 'aún no se usa: no contiene todos los comentarios.',
    duplicates: 'aún no se usa: no están todos los duplicados.',
    redeclared: 'no se usa: la tabla lo tiene con otra declaración.',
    differs: (what, actual) => `no se usa: ${what} es ${actual}.`,
  },
  nothing: {
    unmatched: 'no queda ningún valor o momento que cumpla',
    indexed: 'el índice de páginas no tiene comentarios en ninguna lista',
  },
  letsThrough: (share) => `deja pasar el ${share}`,
  noLimits: 'No se alcanzó ningún límite.',
  freeHighlights: 'Los destacados están en esta página y no costaron nada más.',
  basis: {
    statistics: 'Las cifras previstas vienen de las estadísticas: cuentas exactas de los comentarios de este producto.',
    declared:
      'Las cifras previstas vienen de las frecuencias declaradas para cada valoración; no hay estadísticas de este producto.',
    default:
      'Las cifras previstas suponen que todo es igual de frecuente; no se declaró nada y no se conocen estadísticas.',
  },
  json: 'El plan en JSON',
  copy: 'Copiar como JSON',
  copied: 'Copiado',
  copyRefused: 'No se pudo copiar',

  became: (lists) => `Cómo ${lists} se convirtieron en esta página`,
  slots: (told) => `Del primer comentario de la página al último: ${told}`,
  slotsFrom: (count, list) => `${count} de ${list}`,
  firstSlot: 'primer comentario',
  lastSlot: 'último',

  steps: {
    limit: 'Limitar',
    merge: 'Mezclar',
    having: 'Juzgar',
    filter: 'Filtrar',
    source: 'Leer',
    empty: 'Nada que leer',
    counts: 'Cifras',
    columns: 'Columnas',
    pageIndex: 'Índice de páginas',
    slice: 'Abandonado',
    written: 'Escrito',
  },
  request: (limit) => `límite ${limit}, consistencia eventual`,
  step: 'Paso',
  items: 'Elementos',
  shown: 'mostrados',
  discarded: 'descartados',
  expected: 'previsto',
  read: 'leídos',
  used: 'usado',
  itemsExpected: 'elementos previstos',
  rcuExpected: 'RCU previstas',
  costliest: 'el más caro',
  moreThanExpected: 'más de lo previsto',
  lane: (shown, discarded, ahead, filtered) =>
    `${shown} mostrados, ${discarded} descartados: ${ahead} leídos por adelantado, ${filtered} filtrados`,

  why: 'Por qué este plan',
  plan: 'Plan',
  rounds: 'Rondas',
  withRounds: 'Con rondas',
  taken: 'Elegido',
  priced: (roundPrice) =>
    `Cifras previstas. Cada ronda tras la primera cuenta como ${roundPrice} RCU; gana el menor precio y, a igualdad, el menor número de peticiones.`,

  wordsTitle: '¿Qué significan estas palabras?',
  words: [
    [
      'RCU',
      'Read capacity unit, lo que DynamoDB cobra por leer. Media unidad lee hasta 4 KB de una lista; cada lista leída cuesta al menos eso.',
    ],
    ['Ronda', 'Peticiones que se envían juntas. Una ronda dura lo que su petición más lenta.'],
    ['Lista', 'Los comentarios bajo una clave de un índice, ya ordenados: producto 42, inglés, 5 estrellas.'],
    ['Mezclar', 'De varias listas ordenadas se hace una tomando siempre el comentario más reciente.'],
    [
      'Descartado',
      'Leído pero no mostrado: leído por adelantado para asegurar el orden, o rechazado por un filtro. Se paga.',
    ],
    ['Previsto', 'Lo que el planificador calculó antes de ejecutar nada; así eligió el plan.'],
  ],
}
