import { LapidaryError } from 'lapidary'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { requireProduct } from '../catalogue/product-id.ts'
import type { Comment } from '../comment.ts'
import { changedPhotos, NO_PHOTOS, type PhotoChanges, requireRoom, withPhotos } from '../photos/changed-photos.ts'
import type { Services } from '../services.ts'
import { vote, withdrawVote } from '../votes/votes.ts'
import type { ReportReason } from './cases.ts'
import type { FoundComment } from './found-comment.ts'
import { createPeopleLimits, type PeopleLimits } from './limits.ts'
import { reportComment } from './moderation.ts'
import {
  alreadyWritten,
  type CommentFields,
  editComment,
  type OwnComment,
  ownComment,
  removeComment,
  requireOwn,
  writeComment,
} from './own-comments.ts'
import type { Person } from './person.ts'
import type { Visitors } from './visitors.ts'

/** Whether new comments show at once, or wait for a moderator. */
export type Moderation = 'show' | 'wait'

/** What people may do, by the rules of the shop: the same on the pages and over HTTP. Each change is counted, and refused as `rate_limited` when it is too much. */
export interface PeopleRules {
  readonly visitors: Visitors
  readonly moderation: Moderation
  readonly limits: PeopleLimits
  own(person: Person, productId: string): Promise<FoundComment | undefined>
  /** @throws {LapidaryError} `already_exists`, with the id of their comment under `details.commentId`. */
  write(person: Person, productId: string, fields: CommentFields, sent?: readonly Uint8Array[]): Promise<OwnComment>
  /** Writes their comment, or changes it where they have written one. */
  put(person: Person, productId: string, fields: CommentFields): Promise<OwnComment & { readonly isNew: boolean }>
  edit(
    person: Person,
    id: string,
    changes: Partial<CommentFields>,
    ifVersion?: number,
    photos?: PhotoChanges,
  ): Promise<OwnComment>
  remove(person: Person, id: string, ifVersion?: number): Promise<void>
  report(person: Person, id: string, report: { readonly reason: ReportReason; readonly text: string }): Promise<void>
  /** @param helpful Whether they find the comment helpful; false takes a vote back. */
  vote(person: Person, id: string, helpful: boolean): Promise<void>
}

/** The settings of {@link createPeopleRules}. */
export interface PeopleOptions {
  readonly visitors: Visitors
  /** `show` when not given. */
  readonly moderation?: Moderation | undefined
  /** The products that can be written about; all when not given. */
  readonly catalogue?: Pick<Catalogue, 'get'> | undefined
  readonly clock: () => number
}

export function createPeopleRules(services: Services, options: PeopleOptions): PeopleRules {
  const { visitors, moderation = 'show', catalogue, clock } = options
  const limits = createPeopleLimits(clock)
  const waits = moderation === 'wait'
  const rules: PeopleRules = {
    ...{ visitors, moderation, limits },
    own: (person, productId) => ownComment(services, person, productId),
    async write(person, productId, fields, sent = []) {
      limits.write.take(person.id)
      await requireProduct({ catalogue }, productId)
      const verified = await visitors.hasBought(person, productId)
      // Before an image is worked on.
      const known = sent.length > 0 ? await ownComment(services, person, productId) : undefined
      if (known !== undefined) throw alreadyWritten(known.comment.id)
      return withPhotos(services.photos, sent, (taken) =>
        writeComment(services, person, productId, fields, { waits, verified, photos: taken }),
      )
    },
    async put(person, productId, fields) {
      try {
        const known = await ownComment(services, person, productId)
        if (known !== undefined) return { ...(await rules.edit(person, known.comment.id, fields)), isNew: false }
        return { ...(await rules.write(person, productId, fields)), isNew: true }
      } catch (error) {
        // The same person has written it a moment ago.
        const id = error instanceof LapidaryError && error.code === 'already_exists' && error.details.commentId
        if (typeof id !== 'string') throw error
        return { ...(await rules.edit(person, id, fields)), isNew: false }
      }
    },
    async edit(person, id, changes, ifVersion, { added, removed } = NO_PHOTOS) {
      limits.write.take(person.id)
      // Before an image is worked on.
      if (added.length > 0)
        requireRoom((await requireOwn(services, person, id, ifVersion)).comment, added.length, removed)
      return withPhotos(services.photos, added, (taken) => {
        const isOfPhotos = taken.length + removed.length > 0
        const all = (comment: Comment) => ({ ...changes, ...changedPhotos(comment, taken, removed) })
        return editComment(services, person, id, isOfPhotos ? all : changes, { waits, ifVersion })
      })
    },
    async remove(person, id, ifVersion) {
      limits.write.take(person.id)
      await removeComment(services, person, id, ifVersion)
    },
    async report(person, id, report) {
      limits.report.take(person.id)
      await reportComment(services, person, id, report)
    },
    async vote(person, id, helpful) {
      limits.vote.take(person.id)
      await (helpful ? vote : withdrawVote)(services, person, id)
    },
  }
  return rules
}
