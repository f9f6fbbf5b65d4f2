import type { Messages } from './en.ts'

/** The texts of photos, in Japanese. */
export const photosInJapanese: Messages['photos'] = {
  label: '写真',
  hint: (most: string): string => `任意。JPEG・PNG・WebPの画像を${most}枚まで`,
  of: (number: string, count: string, author: string): string => `${author}さんの写真（${count}枚中${number}枚目）`,
  remove: 'この写真を削除',
  gallery: 'お客様の写真',
  all: 'すべての写真',
  none: '写真はまだありません。',
  older: '以前の写真',
  newer: '新しい写真',
  close: '閉じる',
  next: '次の写真',
  previous: '前の写真',
  read: 'コメントを読む',
  wrong: '1枚10 MBまでのJPEG・PNG・WebPの画像にしてください',
  tooMany: (most: string): string => `${most}枚までです`,
}
