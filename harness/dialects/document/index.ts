export { DOCUMENT_LENGTH_MAX, readDocument } from './read-document.ts';
export { readDocumentWithTopology } from './read-topology.ts';
