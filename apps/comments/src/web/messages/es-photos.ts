import type { Messages } from './en.ts'

/** The texts of photos, in Spanish. */
export const photosInSpanish: Messages['photos'] = {
  label: 'Fotos',
  hint: (most: string): string => `Opcional. Hasta ${most} imágenes: JPEG, PNG o WebP`,
  of: (number: string, count: string, author: string): string => `Foto ${number} de ${count}, de ${author}`,
  remove: 'Quitar esta foto',
  gallery: 'Fotos de clientes',
  all: 'Todas las fotos',
  none: 'Todavía no hay fotos.',
  older: 'Fotos anteriores',
  newer: 'Fotos más recientes',
  close: 'Cerrar',
  next: 'Foto siguiente',
  previous: 'Foto anterior',
  read: 'Leer el comentario',
  wrong: 'deben ser imágenes JPEG, PNG o WebP de 10 MB como máximo cada una',
  tooMany: (most: string): string => `son ${most} como máximo`,
}
