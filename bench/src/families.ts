import { type Comment, generateComments, RATING_SHARES } from './comments.ts'
import { pick, type Random } from './random.ts'

/** Shares of the ratings; they sum to 1. */
type Mix = readonly (readonly [number, number])[]

/** A kind of data: what its comments weigh, and how its ratings are mixed. */
export interface Family {
  readonly name: string
  /** How many ratings there are: 1 to `values`. */
  readonly values: number
  readonly page: number
  /** Bytes of a comment's text. */
  readonly textBytes: (random: Random) => number
  /** The mix of all comments, which the declaration tells. */
  readonly mix: Mix
  /** After how many comments the mix changes; never when undefined. */
  readonly stretch: number | undefined
  /** Whether it is read with counts of the product, or planned on the declaration and on what was read; or both. */
  readonly counted: readonly boolean[]
  /** The figures to reach; undefined where the family is only shown. */
  readonly reach: Reach | undefined
}

export interface Reach {
  readonly overClairvoyant: number
  readonly rounds: number
}

const logNormal = (random: Random): number => Math.max(1, Math.round(300 * Math.exp(0.8 * normal(random))))

/** As the other benches have it: the J shape, entries of 491 bytes. */
const USUAL: Family = {
  name: 'entries of 491 bytes',
  values: 5,
  page: 20,
  textBytes: () => 381,
  mix: RATING_SHARES,
  stretch: undefined,
  counted: [false, true],
  reach: { overClairvoyant: 1.17, rounds: 1.042 },
}

export const FAMILIES: readonly Family[] = [
  USUAL,
  { ...USUAL, name: 'entries of 540 bytes', textBytes: () => 430, reach: { overClairvoyant: 1.25, rounds: 1.06 } },
  {
    ...USUAL,
    name: 'texts log-normal, median 300, sigma 0.8',
    textBytes: logNormal,
    reach: { overClairvoyant: 1.28, rounds: 1.06 },
  },
  {
    ...USUAL,
    name: 'texts of 20 to 80 bytes',
    textBytes: (random) => 20 + Math.floor(random() * 61),
    reach: { overClairvoyant: 1.42, rounds: 1.06 },
  },
  {
    ...USUAL,
    name: 'texts around 1.5 KB',
    textBytes: (random) => Math.max(1, Math.round(1500 + 300 * normal(random))),
    reach: { overClairvoyant: 1.25, rounds: 1.06 },
  },
  { ...USUAL, name: 'a mix that changes every 500', stretch: 500, reach: { overClairvoyant: 1.3, rounds: 1.1 } },
  {
    ...USUAL,
    name: 'the same, texts log-normal',
    textBytes: logNormal,
    stretch: 500,
    reach: { overClairvoyant: 1.3, rounds: 1.1 },
  },
  { ...USUAL, name: 'pages of 5', page: 5, counted: [false], reach: undefined },
  { ...USUAL, name: 'pages of 100', page: 100, counted: [false], reach: undefined },
  { ...USUAL, name: '3 values', values: 3, mix: zipf(3), counted: [false], reach: undefined },
  { ...USUAL, name: '10 values', values: 10, mix: zipf(10), counted: [false], reach: undefined },
]

/** The value of rank r has a share that goes with 1 / r. */
function zipf(values: number): Mix {
  const sum = Array.from({ length: values }, (_, i) => 1 / (i + 1)).reduce((a, b) => a + b, 0)
  return Array.from({ length: values }, (_, i) => [i + 1, 1 / (i + 1) / sum] as const)
}

/** From two even numbers one of the standard normal distribution (Box and Muller, 1958). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** The comments of a family, oldest first. */
export function familyComments(family: Family, count: number, random: Random): Comment[] {
  let mix = family.mix
  return generateComments(count, random).map((comment, i) => {
    if (family.stretch !== undefined && i % family.stretch === 0) mix = burst(family.mix, random)
    return { ...comment, rating: pick(mix, random), text: 'x'.repeat(family.textBytes(random)) }
  })
}

/** For a stretch every share is multiplied by a factor of its own, from a quarter to four. */
function burst(mix: Mix, random: Random): Mix {
  const turned = mix.map(([value, share]) => [value, share * 4 ** (2 * random() - 1)] as const)
  const sum = turned.reduce((total, [, share]) => total + share, 0)
  return turned.map(([value, share]) => [value, share / sum] as const)
}
