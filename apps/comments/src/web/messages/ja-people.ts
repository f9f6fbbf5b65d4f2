import { peopleInEnglish } from './en-people.ts'

export const peopleInJapanese = peopleInEnglish
