export { API_SERVER_MUTANTS } from './mutants.ts';
export type { Mutant, MutantName } from './mutants.ts';
export type { Sources } from './registry.ts';
export { createApiServer } from './server.ts';
export type { ApiServer, ApiServerOptions } from './server.ts';
