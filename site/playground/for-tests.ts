/** The parts of the playground that tests ask in Node, bundled as the browser has them. */
export { answerTo, supposedItems } from './answer-to.ts'
export { checkedAnswer } from './checked-answer.ts'
export { withoutTypes } from './without-types.ts'
