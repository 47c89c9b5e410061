export { DOCUMENT_LENGTH_MAX, readDocument } from './read-document.ts';
