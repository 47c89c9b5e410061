export { cellsOf } from './display-width.ts';
export { looksLikeAscii, readAscii, seemsDrawn } from './read-ascii.ts';
