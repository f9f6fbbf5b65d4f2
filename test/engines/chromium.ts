import { provisioned } from './provisioned.ts'

/** The browser that the tests look at pages with, as the provision script links it. */
export const CHROMIUM: string = process.env.CHROMIUM_PATH ?? provisioned('chromium')
