// The part of node:crypto that planning uses: digests of long keys and of declarations. The rest of the library imports more of it, which is left out
// of the bundle; of a CommonJS module a name that is not there is no error.
const { sha256 } = require('@noble/hashes/sha2.js')
const { Buffer } = require('buffer')

function hash(algorithm, text, encoding) {
  if (algorithm !== 'sha256') throw new Error(`the playground has no ${algorithm}`)
  const buffer = Buffer.from(sha256(Buffer.from(text)))
  // The package `buffer` writes no base64url.
  if (encoding !== 'base64url') return encoding === undefined ? buffer : buffer.toString(encoding)
  return buffer.toString('base64').replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function createHash(algorithm) {
  let text = ''
  const hashing = {
    update(more) {
      text += more
      return hashing
    },
    digest: (encoding) => hash(algorithm, text, encoding),
  }
  return hashing
}

module.exports = { createHash, hash }
