/** The settings that CONFIG SET can change. */
export interface Settings {
  /** Up to so many entries, and bytes of a member, OBJECT ENCODING says `listpack`, as Redis would. Nothing else depends on them. */
  listpackEntries: number
  listpackValue: number
}

export const DEFAULT_SETTINGS: Settings = { listpackEntries: 128, listpackValue: 64 }
