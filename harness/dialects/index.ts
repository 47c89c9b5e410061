export { DOCUMENT_LENGTH_MAX, readDocument, readDocumentWithTopology } from './document/index.ts';
