export type * from './types.ts';
export { hasErrors } from './types.ts';
export { editDistance } from './edit-distance.ts';
export { renderDiagnostic, renderDiagnostics, sortDiagnostics } from './render.ts';
export { displayWidth, expandTabs, printable, printableJson, printableLines } from './display-width.ts';
