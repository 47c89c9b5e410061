export { looksLikeAscii, readAscii } from './read-ascii.ts';
