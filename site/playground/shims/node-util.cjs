// The part of node:util that planning uses.
const { dequal } = require('dequal')

module.exports = {
  isDeepStrictEqual: dequal,
  types: {
    isSet: (value) => value instanceof Set,
    isMap: (value) => value instanceof Map,
    isAnyArrayBuffer: (value) => value instanceof ArrayBuffer,
  },
}
