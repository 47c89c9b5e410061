export { firstBinding, type BindingText, type BindingTextOptions } from './binding-text.ts';
export { unmatchedText, type UnmatchedOptions } from './unmatched-text.ts';
