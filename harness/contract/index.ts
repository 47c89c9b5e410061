export type * from './types.ts';
export type { CompiledExpression, ExpressionError } from './expression.ts';
export type { ExpressionScope, ExpressionValue } from './expression-scope.ts';
export type { RequestLine } from './template.ts';
export { compileExpression } from './expression.ts';
export { foldLabel, foldName } from './names.ts';
export { matchTemplate, printTemplate, readRequestLine } from './template.ts';
export { readStatusRule } from './status-rule.ts';
