import { peopleInEnglish } from './en-people.ts'

export const peopleInSpanish = peopleInEnglish
