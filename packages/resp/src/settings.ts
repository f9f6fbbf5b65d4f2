/** The settings of CONFIG SET. */
export interface Settings {
  /** The most entries, and the most bytes of a member, for which OBJECT ENCODING says `listpack`, as Redis would. They have no other effect. */
  listpackEntries: number
  listpackValue: number
}

export const DEFAULT_SETTINGS: Settings = { listpackEntries: 128, listpackValue: 64 }
