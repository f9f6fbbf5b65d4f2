/** The folder beside the sources, where both the sources and the build find the assets; a bundle has them beside itself. */
export const ASSETS_FOLDER: URL = new URL(process.env.ASSETS_FOLDER ?? '../../src/web/assets/', import.meta.url)
