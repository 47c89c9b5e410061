export { cellsOf } from './display-width.ts';
export { looksLikeAscii, readAscii } from './read-ascii.ts';
