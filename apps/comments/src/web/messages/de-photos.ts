import type { Messages } from './en.ts'

/** The texts of photos, in German. */
export const photosInGerman: Messages['photos'] = {
  label: 'Fotos',
  hint: (most: string): string => `Freiwillig. Bis zu ${most} Bilder: JPEG, PNG oder WebP`,
  of: (number: string, count: string, author: string): string => `Foto ${number} von ${count}, von ${author}`,
  remove: 'Dieses Foto entfernen',
  gallery: 'Fotos von Kunden',
  all: 'Alle Fotos',
  none: 'Es gibt noch keine Fotos.',
  older: 'Ältere Fotos',
  newer: 'Neuere Fotos',
  close: 'Schließen',
  next: 'Nächstes Foto',
  previous: 'Voriges Foto',
  read: 'Den Kommentar lesen',
  wrong: 'müssen Bilder in JPEG, PNG oder WebP von je höchstens 10 MB sein',
  tooMany: (most: string): string => `sind höchstens ${most}`,
}
