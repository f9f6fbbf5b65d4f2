import type { PictureFormat } from 'lapidary-http/internal/pages'
import { useWords } from '../reader.ts'

/** Returns how the pictures of a plan write figures for the reader, for components. */
export function usePictureFormat(): PictureFormat {
  const { rcu, decimal, number, money, count } = useWords()
  return { rcu, decimal, number, money, requests: (requests) => count(requests, 'request') }
}
