/** Read beside the sources, where both the sources and the build find them; a bundle has them beside itself. */
export const ASSETS_FOLDER: URL = new URL(process.env.ASSETS_FOLDER ?? '../../src/web/assets/', import.meta.url)
