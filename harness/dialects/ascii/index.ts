export { commentSignOf } from './cells.ts';
export { cellsOf } from './display-width.ts';
export { isClearlyDrawn, lacksHeads, seemsDrawn } from './meant-as.ts';
export { isErrorPage, looksLikeAscii, readAscii } from './read-ascii.ts';
