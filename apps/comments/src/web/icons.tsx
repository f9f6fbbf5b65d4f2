/** Shows the icons that a page uses by name, drawn once. The star is cut like a stone: one half of each ray catches the light. */
export function IconSprite() {
  return (
    <svg class="sprite" aria-hidden="true" width="0" height="0">
      <symbol id="star" viewBox="0 0 24 24">
        <path d="M12 1.8 15 8.6l7.4.8-5.5 5 1.5 7.3L12 18l-6.4 3.7 1.5-7.3-5.5-5L9 8.6Z" />
        <path
          class="glint"
          d="M12 1.8V12.6L9 8.6ZM22.4 9.4 12 12.6l3-4ZM18.4 21.7 12 12.6l4.9 1.8ZM5.6 21.7 12 12.6V18ZM1.6 9.4 12 12.6l-4.9 1.8Z"
        />
      </symbol>
      <symbol id="gem" viewBox="0 0 32 32">
        <path fill="#0b6e58" d="M10 2h12l8 8v12l-8 8H10l-8-8V10Z" />
        <path fill="#8be5c9" d="m10 2 3 8-3 3-8-3Z" />
        <path fill="#c9f5e6" d="M10 2h12l-3 8h-6Z" />
        <path fill="#58cba9" d="m22 2 8 8-8 3-3-3Z" />
        <path fill="#2fa686" d="m30 10v12l-8-3v-6Z" />
        <path fill="#0d5f4d" d="m30 22-8 8-3-8 3-3Z" />
        <path fill="#094c3e" d="M22 30H10l3-8h6Z" />
        <path fill="#127a62" d="m10 30-8-8 8-3 3 3Z" />
        <path fill="#4fc3a1" d="M2 22V10l8 3v6Z" />
        <path fill="#1b9374" d="M13 10h6l3 3v6l-3 3h-6l-3-3v-6Z" />
        <path fill="#e9fff7" fill-opacity=".45" d="M13 10h6l-9 9v-6Z" />
      </symbol>
      <symbol id="cross" viewBox="0 0 16 16">
        <path d="m4 4 8 8m0-8-8 8" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
      </symbol>
      <symbol id="check" viewBox="0 0 16 16">
        <path
          d="m3 8.5 3.2 3.2L13 5"
          fill="none"
          stroke="currentColor"
          stroke-width="1.8"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </symbol>
      <symbol id="helpful" viewBox="0 0 20 20">
        <path
          d="M6 9v8M6 9l3.4-6.3c1.4 0 2.2 1 2.2 2.3L11 8h4.4c1.2 0 2 1.1 1.7 2.2l-1.4 5.2c-.2.9-1 1.6-2 1.6H3.500V9Z"
          fill="none"
          stroke="currentColor"
          stroke-width="1.5"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </symbol>
      <symbol id="globe" viewBox="0 0 16 16">
        <path
          d="M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2Zm0 0C4 6 4 10 8 14c4-4 4-8 0-12ZM2 8h12"
          fill="none"
          stroke="currentColor"
        />
      </symbol>
      <symbol id="chevron" viewBox="0 0 16 16">
        <path
          d="m4 6 4 4 4-4"
          fill="none"
          stroke="currentColor"
          stroke-width="1.8"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </symbol>
      {Object.entries({ before: 'm10 3-5 5 5 5', after: 'm6 3 5 5-5 5' }).map(([name, d]) => (
        <symbol id={name} viewBox="0 0 16 16">
          <path
            d={d}
            fill="none"
            stroke="currentColor"
            stroke-width="1.8"
            stroke-linecap="round"
            stroke-linejoin="round"
          />
        </symbol>
      ))}
    </svg>
  )
}

type IconName = 'star' | 'gem' | 'cross' | 'check' | 'helpful' | 'globe' | 'chevron' | 'before' | 'after'

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class={`icon icon-${name}`} width={size} height={size} aria-hidden="true" focusable="false">
      <use href={`#${name}`} />
    </svg>
  )
}

/** The share of the width of five stars that one star takes; the gap behind it can't be lit. */
const STAR = 18 / 98
const STEP = 20 / 98

/** Shows five stars, lit up to a rating; the style sheet draws their shape. They are decoration unless they have a label. */
export function Stars({ rating, label }: { rating: number; label?: string }) {
  const whole = Math.floor(rating)
  const part = rating - whole
  // A reader sees a star by its area, and its ends are thin: a tenth of it lies in the first quarter of its width.
  const seen = part === 0 ? 0 : 0.22 + 0.56 * part
  const lit = `${Math.min(100, Math.round(100 * (whole * STEP + seen * STAR)))}%`
  const bar = <rect width={lit} height="100%" />
  return label === undefined ? (
    <svg class="stars" aria-hidden="true">
      {bar}
    </svg>
  ) : (
    <svg class="stars" role="img" aria-label={label}>
      {bar}
    </svg>
  )
}
