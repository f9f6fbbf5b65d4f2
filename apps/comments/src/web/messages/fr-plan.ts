import type { Messages } from './en.ts'

export const planInFrench: Messages['plan'] = {
  label: 'Plan de requête',
  how: 'Comment cette liste a-t-elle été lue ?',
  line: (rcu, rounds) => `Lu pour ${rcu} RCU en ${rounds}.`,
  shownOf: (shown, read) => `${shown} affichés sur ${read} lus`,
  layout: 'disposition',
  ran: 'Ce qui a été exécuté',
  limits: 'Limites et avertissements',
  notes: {
    filter: (share) => `Le filtre laisse passer ${share} de ce qu’il lit ; un index sur ses facettes coûterait moins.`,
    filtered: (share, items) =>
      `Le filtre a laissé passer ${share} des éléments lus (${items}) ; un index sur ses facettes coûterait moins.`,
    having: (share) =>
      `La fonction a laissé passer ${share} de ce qu’elle a jugé ; une facette pour cela coûterait moins.`,
    unreadable: (id, attribute, digits) =>
      `Laissé de côté : ${id}, dont ${attribute} vaut ${digits}, illisible tel qu’il est déclaré.`,
    stopped: {
      maxCapacity: 'La page s’arrête avant la fin : une requête ne peut pas lire davantage.',
      maxBytes: 'La page s’arrête avant la fin : une requête ne peut pas juger plus d’octets.',
      aborted: 'La page s’arrête avant la fin : la requête a été abandonnée.',
    },
    behind: 'L’index des pages est en retard : il y a des commentaires après son dernier.',
    unknown: {
      absent: 'Rien n’est encore compté pour cette déclaration ; les totaux sont inconnus.',
      filling: 'Le comptage est en cours ; les totaux sont encore inconnus.',
      abandoned:
        'Une autre version du programme compte sans ce dont celle-ci a besoin ; les totaux seront connus une fois qu’elle sera arrêtée.',
      gap: 'Le flux des changements en a perdu ; les totaux seront connus dès qu’une réparation les aura rattrapés.',
      uncounted: 'Aucun processus ne suit le flux des changements ; les totaux sont inconnus.',
    },
  },
  refusals: {
    sparse: (facet, values) => `ne contient que des commentaires avec ${facet} ${values}.`,
    scope: {
      one: 'a une liste par produit, et la requête porte sur tous.',
      all: 'a des listes de tous les produits, et la requête porte sur un seul.',
    },
    values: {
      open: (facet) => `a une liste par ${facet}, que la requête ne fixe pas ; toutes les valeurs ne sont pas connues.`,
      range: (facet) =>
        `a une liste par ${facet}, et la requête donne un intervalle ; toutes les valeurs ne sont pas connues.`,
    },
    key: {
      null: (facet) => `n’a rien sans ${facet}.`,
      empty: (facet) => `n’a rien dont ${facet} soit vide ou absent.`,
    },
    assembled: (collection) => `contient chaque ${collection} séparément.`,
    sources: (needed, most) => `demanderait ${needed} listes, et un plan en lit ${most} au plus.`,
    absent: 'n’est pas dans la table, ou DynamoDB le construit encore.',
    filling: 'n’est pas encore utilisé : tous les commentaires n’y sont pas.',
    duplicates: 'n’est pas encore utilisé : tous les doubles n’y sont pas.',
    redeclared: 'n’est pas utilisé : la table l’a avec une autre déclaration.',
    differs: (what, actual) => `n’est pas utilisé : ${what} vaut ${actual}.`,
  },
  nothing: {
    unmatched: 'il ne reste aucune valeur ou aucun moment qui convienne',
    indexed: 'l’index des pages n’a de commentaire dans aucune liste',
  },
  letsThrough: (share) => `laisse passer ${share}`,
  noLimits: 'Aucune limite n’a été atteinte.',
  freeHighlights: 'La sélection est sur cette page et n’a rien coûté de plus.',
  basis: {
    statistics: 'Les valeurs attendues viennent des statistiques : les nombres exacts des commentaires de ce produit.',
    declared:
      'Les valeurs attendues viennent des fréquences déclarées pour chaque note ; les statistiques de ce produit sont inconnues.',
    default:
      'Les valeurs attendues supposent que tout est aussi fréquent ; rien n’a été déclaré et aucune statistique n’est connue.',
  },
  json: 'Le plan en JSON',
  copy: 'Copier en JSON',

  became: (lists) => `Comment ${lists} sont devenues cette page`,
  slots: (told) => `Du premier au dernier commentaire de la page : ${told}`,
  slotsFrom: (count, list) => `${count} de ${list}`,
  firstSlot: 'premier commentaire',
  lastSlot: 'dernier',

  steps: {
    limit: 'Limiter',
    merge: 'Fusionner',
    having: 'Juger',
    filter: 'Filtrer',
    source: 'Lire',
    empty: 'Rien à lire',
    counts: 'Chiffres',
    columns: 'Colonnes',
    pageIndex: 'Index des pages',
    slice: 'Abandonné',
    written: 'Écrit',
  },
  request: (limit) => `au plus ${limit}, cohérence à terme`,
  step: 'Étape',
  items: 'Éléments',
  shown: 'affichés',
  expected: 'attendu',
  read: 'lus',
  used: 'utilisé',
  itemsExpected: 'éléments attendus',
  rcuExpected: 'RCU attendues',
  costliest: 'le plus cher',
  moreThanExpected: 'plus que prévu',
  lane: (shown, ahead, filtered) => `${shown} affichés, ${ahead} lus d’avance, ${filtered} filtrés`,
  picture: {
    took: 'Ce que cela a coûté',
    parts: {
      ...{
        list: 'Liste',
        columns: 'Colonnes',
        counts: 'Chiffres',
        pageIndex: 'Index des pages',
        written: 'À l’instant',
      },
      ...{ slice: 'Abandonné', register: 'Registres', item: 'Élément' },
    },
    lists: (lists) => `${lists} listes`,
    expected: (rcu) => `${rcu} attendu`,
    all: 'Total',
    millionPages: (dollars) => `Un million de pages comme celle-ci coûtent ${dollars}`,
    prices: (region, day) => `à la demande en ${region}, prix catalogue du ${day}`,

    requests: 'Les requêtes telles qu’elles ont été envoyées',
    round: (number) => `Tour ${number}`,
    roundMeans: 'Les requêtes d’un tour partent ensemble. Le tour suivant attend leurs réponses.',
    together: (requests, milliseconds) => `${requests} en ${milliseconds} ms`,
    forAll:
      'Pour toutes les pages : quels index sont complets. Le processus le lit au plus toutes les cinq secondes, hors du plan de chaque page.',
    elsewhere: (requests) =>
      `Et ${requests} pour plusieurs pages à la fois : elles sont notées avec celle qui les a envoyées.`,
    notWaitedFor: 'non attendue',
    refused: 'refusée',
    bar: (from, milliseconds) => `envoyée après ${from} ms, réponse en ${milliseconds} ms`,
    command: 'En commande de l’AWS CLI',
    copy: 'Copier',
    copied: 'Copié',
    copyRefused: 'La copie a été refusée',
    endpoint: 'Elle redemande la même chose, pour la même capacité. Hors d’AWS, il faut y ajouter --endpoint-url.',

    readAhead: 'lus d’avance',
    filteredOut: 'filtrés',
    position: 'position : la valeur qui ordonne la liste, puis l’identifiant, pour que chaque place soit unique',
  },
  beside: {
    highlights: 'Sélection',
    suggestions: 'Filtres à retirer',
    gallery: 'Photos des clients',
    posted: 'Le commentaire qui vient d’être envoyé',
    own: 'Votre commentaire',
    votes: 'Vos votes',
    order: 'L’ordre par défaut',
  },

  why: 'Pourquoi ce plan',
  plan: 'Plan',
  rounds: 'Tours',
  withRounds: 'Avec les tours',
  taken: 'Retenu',
  withRoundsMeans: (roundPrice) => `RCU, et ${roundPrice} pour chaque tour après le premier`,
  priced:
    'Toutes les valeurs sont attendues. Le plus bas avec les tours l’emporte, puis le plus petit nombre de requêtes.',

  wordsTitle: 'Que veulent dire ces mots ?',
  words: [
    [
      'RCU',
      'Read capacity unit, ce que DynamoDB facture pour lire. Une demi-unité lit jusqu’à 4 Ko d’une liste ; chaque liste lue coûte au moins cela.',
    ],
    ['Tour', 'Des requêtes envoyées ensemble. Un tour dure autant que sa requête la plus lente.'],
    ['Liste', 'Les commentaires sous une clé d’un index, déjà triés : produit 42, anglais, 5 étoiles.'],
    ['Fusionner', 'Plusieurs listes triées en font une seule : on prend toujours le commentaire le plus récent.'],
    ['Lu d’avance', 'Lu pour être sûr de l’ordre, et affiché sur les pages suivantes. C’est payé.'],
    ['Filtré', 'Lu et refusé par un filtre : aucune page ne l’affiche. C’est payé.'],
    ['Attendu', 'Ce que le planificateur prévoyait avant d’exécuter ; il a choisi le plan ainsi.'],
  ],
}
