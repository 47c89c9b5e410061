export { DOCUMENT_LENGTH_MAX, readDocument, readDocumentWithTopology } from './document/index.ts';
export { cellsOf, readAscii } from './ascii/index.ts';
