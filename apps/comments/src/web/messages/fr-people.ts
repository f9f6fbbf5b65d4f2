import { peopleInEnglish } from './en-people.ts'

export const peopleInFrench = peopleInEnglish
