import type { Config } from 'jest';

const config: Config = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{harness,reference-impl,specs}/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // The package's own bundle: importing its hundreds of modules one by one costs 200 ms per test file.
  moduleNameMapper: { '^chevrotain$': '<rootDir>/node_modules/chevrotain/lib/chevrotain.mjs' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};

export default config;
