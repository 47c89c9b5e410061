export { datadriven, type Stanza } from './datadriven.ts';
export { readShorthand } from './shorthand.ts';
