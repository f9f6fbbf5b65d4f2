/** How a program writes the figures of a plan's pictures. */
export interface PictureFormat {
  rcu(value: number): string
  /** Writes a number with at most one decimal. */
  decimal(value: number): string
  number(value: number): string
  /** Writes dollars. */
  money(value: number): string
  /** `3 requests` */
  requests(count: number): string
}
