export { DOCUMENT_LENGTH_MAX, readDocument } from './document/index.ts';
