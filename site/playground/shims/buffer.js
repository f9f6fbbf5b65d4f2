export { Buffer } from 'buffer'
