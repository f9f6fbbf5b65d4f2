import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { generateComments } from 'comments/demo'
import { openPhotos, type Photo, type Photos } from 'comments/photos'
import { createServices, type Services } from 'comments/services'
import { segments } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { openEngine } from 'lapidary-engine'
import sharp from 'sharp'
import type { BenchContext } from './bench.ts'
import { BATCH, costOfChanges, observeWrites, type Step, type Units } from './change-costs.ts'
import { mean, rounded } from './measure.ts'
import type { FigureTable, Report } from './report.ts'

const PRODUCT = '42'
const SIZE = 500
/** As a phone takes them: 12 megapixels. */
const CAMERA = { width: 4_000, height: 3_000 }

/** What photos of comments cost: write units of each change, RCU of what shows them, bytes and processor time of one. */
export async function photos({ quick }: BenchContext): Promise<Report> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const kept = openPhotos({
    write: async (name, bytes) => void files.set(name, bytes),
    read: async (name) => files.get(name),
    remove: async (name) => void files.delete(name),
  })
  const tables = [...(await ofTheTable(kept)), await ofOne(kept, files, quick ? 2 : 10)]
  return { tables, targets: [], figures: tables.map(({ rows }) => rows) }
}

async function ofTheTable(kept: Photos): Promise<readonly FigureTable[]> {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const units = observeWrites(client)
    const services = createServices({
      ...{ client, tableName: 'comments', cursorSecret: 'a secret that only the bench knows', photos: kept },
      derived: { counts: true, pages: segments() },
      stream: { immediate: true },
    })
    await services.database.table.create()
    await importItems(services.comments, [...generateComments({ products: 1, comments: SIZE, seed: 42 })])
    await services.database.stream.catchUp()
    return [await changesOf(services, units), await readsOf(services)]
  } finally {
    client.destroy()
    await engine.close()
  }
}

async function changesOf(services: Services, units: Units): Promise<FigureTable> {
  const { comments } = services
  const all: string[] = []
  for await (const { id } of comments.iterate({ scope: PRODUCT })) all.push(id)
  const at = (i: number): string => all[i] ?? ''
  const ofTwo = (i: number, count: number): Photo[] =>
    Array.from({ length: count }, (_, nth) => ({
      id: String(2 * i + nth).padStart(22, 'p'),
      width: 1_600,
      height: 1_200,
    }))
  const steps: readonly Step[] = [
    ['a comment gets its first photo', (i) => comments.patch(at(i), { attached: { photos: ofTwo(i, 1) } })],
    ['it gets a second one', (i) => comments.patch(at(i), { attached: { photos: ofTwo(i, 2) } })],
    ['its text is edited', (i) => comments.patch(at(i), { text: 'Other words.' })],
    ['the text of a comment without photos is edited', (i) => comments.patch(at(BATCH + i), { text: 'Other words.' })],
    ['both photos are taken away', (i) => comments.patch(at(i), { attached: null })],
    [
      'a comment gets four at once',
      (i) => comments.patch(at(i), { attached: { photos: [...ofTwo(i, 2), ...ofTwo(1_000 + i, 2)] } }),
    ],
  ]
  return costOfChanges(services, units, { title: `Write units of a change among ${SIZE} comments`, steps })
}

async function readsOf({ comments, gallery }: Services): Promise<FigureTable> {
  const strip = await gallery.list({ scope: PRODUCT, limit: 8 })
  const page = await gallery.list({ scope: PRODUCT, limit: 24 })
  const empty = await gallery.list({ scope: 'none', limit: 8 })
  const first = await comments.list({ scope: PRODUCT, limit: 20, counts: false })
  const rcu = (read: { readonly plan: { readonly actual: { readonly rcu: number } | null } }) =>
    rounded(read.plan.actual?.rcu ?? 0, 1)
  return {
    title: 'RCU of what shows photos',
    columns: ['read', 'RCU'],
    rows: [
      ['the newest photos above a first page: 8 comments of four each', rcu(strip)],
      ['the same of a product without photos', rcu(empty)],
      ['a page of the gallery: 24 comments of four each', rcu(page)],
      ['a page of 20 comments that have four each, without counts', rcu(first)],
    ],
  }
}

/** Measures a photo of the size that phones take. What it shows is spots of eight pixels, which are hard to pack in every size. */
async function ofOne(kept: Photos, files: ReadonlyMap<string, Uint8Array>, times: number): Promise<FigureTable> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const spots = sharp({ create: { width: 500, height: 375, channels: 3, background: '#000', noise } })
  const sent = await sharp(await spots.png().toBuffer())
    .resize(CAMERA)
    .jpeg({ quality: 90 })
    .toBuffer()
  const cpu: number[] = []
  for (let i = 0; i < times; i++) {
    const before = process.cpuUsage()
    const { id } = await kept.take(sent)
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1_000)
    if (i < times - 1) await kept.forget([id])
  }
  const [large = 0, small = 0] = [...files.values()].map(({ byteLength }) => byteLength).sort((a, b) => b - a)
  return {
    title: 'One photo of 12 megapixels',
    columns: ['what', 'figure'],
    rows: [
      ['bytes as sent', sent.byteLength],
      ['bytes kept: 1,600 pixels wide', large],
      ['bytes kept: the square of 240', small],
      ['processor time to make both, ms', Math.round(mean(cpu))],
    ],
  }
}
