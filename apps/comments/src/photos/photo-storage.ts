/**
 * Where the files of photos are: a folder, a bucket, or what a shop has. A name is 22 to 40 letters, digits, `-`, `_` and `.`; what is written under
 * one is never written again with other bytes.
 *
 * @example
 * ```ts
 * const files = new Map<string, Uint8Array<ArrayBuffer>>()
 * const storage: PhotoStorage = {
 *   write: async (name, bytes) => void files.set(name, bytes),
 *   read: async (name) => files.get(name),
 *   remove: async (name) => void files.delete(name),
 * }
 * ```
 */
export interface PhotoStorage {
  /** Keeps a file; it is whole or not there, whatever happens meanwhile. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** Returns a file; undefined where there is none. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Removes a file; where there is none, that is so already. */
  remove(name: string): Promise<void>
}
