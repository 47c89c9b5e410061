/** Where the binding of a spec is looked for, and written. */
export const bindingFileOf = (spec: string): string => `${spec.replace(/\.[^./\\]*$/, '')}.bindings.yaml`;
