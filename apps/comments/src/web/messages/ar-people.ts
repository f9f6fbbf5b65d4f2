import { peopleInEnglish } from './en-people.ts'

export const peopleInArabic = peopleInEnglish
