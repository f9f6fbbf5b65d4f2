import type { Messages } from './en.ts'

/** The texts of photos, in Arabic. */
export const photosInArabic: Messages['photos'] = {
  label: 'الصور',
  hint: (most: string): string => `اختياري. ${most} صور على الأكثر: JPEG أو PNG أو WebP`,
  of: (number: string, count: string, author: string): string => `الصورة ${number} من ${count}، بواسطة ${author}`,
  remove: 'إزالة هذه الصورة',
  gallery: 'صور من العملاء',
  all: 'كل الصور',
  none: 'لا توجد صور بعد.',
  older: 'صور أقدم',
  newer: 'صور أحدث',
  close: 'إغلاق',
  next: 'الصورة التالية',
  previous: 'الصورة السابقة',
  read: 'قراءة التعليق',
  wrong: 'يجب أن تكون صورًا بصيغة JPEG أو PNG أو WebP، كل منها 10 ميغابايت على الأكثر',
  tooMany: (most: string): string => `${most} على الأكثر`,
}
