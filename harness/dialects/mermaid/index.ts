export { looksLikeArchitecture, readArchitecture } from './architecture.ts';
export { otherKindOf } from './other-kinds.ts';
export { looksLikeMermaid, readMermaid } from './read-mermaid.ts';
