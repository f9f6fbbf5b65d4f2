import type { Change, CopyProjection } from 'lapidary'
import { comments } from '../comment.ts'
import { mayKeepComment } from '../kept-comment.ts'
import { createNamed } from './follow-photos.ts'
import { gallery } from './gallery.ts'
import type { FollowedPhotos } from './photos.ts'

/**
 * Makes what follows the photos of comments through the change stream, whoever wrote or deleted them: the gallery shows those of comments that are
 * shown, and photos that no comment names any more are removed for good. One that a moderator has taken from the lists keeps its photos, where its author
 * and moderators alone see them.
 *
 * The table decides, and not the change, which may come late and again. It follows the stream apart: nothing else waits for a storage that is away.
 */
export function followedPhotos(keptBy: () => FollowedPhotos): CopyProjection {
  return {
    name: 'photos',
    collection: comments.name,
    apart: 'photos',
    isItem: (key) => mayKeepComment(key) || isGalleryEntry(key),
    async apply(changes) {
      const named = createNamed()
      for (const { key, before, after } of changes) if (mayKeepComment(key)) named.add(key, before, after)
      await named.follow(keptBy())
    },
    async fill() {
      const named = createNamed()
      return {
        take({ PK, SK, ...item }) {
          // An entry tells of photos whose comment was deleted while no process followed.
          named.add({ PK: PK?.S ?? '', SK: SK?.S ?? '' }, item)
          return true
        },
        async flush(least = 0) {
          if (named.size >= least) await named.follow(keptBy())
        },
        finish: () => named.follow(keptBy()),
      }
    },
  }
}

function isGalleryEntry({ PK, SK }: Change['key']): boolean {
  return SK === '~' && PK.startsWith(`${gallery.name}#`)
}
