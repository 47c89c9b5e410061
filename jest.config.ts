import type { Config } from 'jest';

const config: Config = {
  testEnvironment: 'node',
  // All cores: by default Jest leaves one idle, which is half of a small machine.
  maxWorkers: '100%',
  // A test that starts processes takes seconds on a busy machine; one that hangs still ends.
  testTimeout: 60_000,
  testMatch: ['<rootDir>/{harness,reference-impl,specs}/**/*.test.ts'],
  setupFiles: ['<rootDir>/harness/testing/fixed-seed.ts'],
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
