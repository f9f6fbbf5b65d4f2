/** The texts of photos, in English. */
export const photosInEnglish = {
  label: 'Photos',
  hint: (most: string): string => `Optional. Up to ${most}: JPEG, PNG or WebP`,
  of: (number: string, count: string, author: string): string => `Photo ${number} of ${count} by ${author}`,
  remove: 'Remove this photo',
  gallery: 'Photos from customers',
  all: 'All photos',
  none: 'There are no photos yet.',
  older: 'Older photos',
  newer: 'Newer photos',
  close: 'Close',
  next: 'Next photo',
  previous: 'Previous photo',
  read: 'Read the comment',
  wrong: 'must be JPEG, PNG or WebP of at most 10 MB',
  tooMany: (most: string): string => `are at most ${most}`,
}
