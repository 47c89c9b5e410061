export { runProgram } from './program.ts';
export { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
