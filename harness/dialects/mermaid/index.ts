export { looksLikeMermaid, readMermaid } from './read-mermaid.ts';
