import type { Messages } from './en.ts'

/** The texts of photos, in French. */
export const photosInFrench: Messages['photos'] = {
  label: 'Photos',
  hint: (most: string): string => `Facultatif. ${most} images au plus : JPEG, PNG ou WebP`,
  of: (number: string, count: string, author: string): string => `Photo ${number} sur ${count}, de ${author}`,
  remove: 'Retirer cette photo',
  gallery: 'Photos des clients',
  all: 'Toutes les photos',
  none: 'Il n’y a pas encore de photos.',
  older: 'Photos plus anciennes',
  newer: 'Photos plus récentes',
  close: 'Fermer',
  next: 'Photo suivante',
  previous: 'Photo précédente',
  read: 'Lire le commentaire',
  wrong: 'doivent être des images JPEG, PNG ou WebP de 10 Mo au plus chacune',
  tooMany: (most: string): string => `sont ${most} au plus`,
}
