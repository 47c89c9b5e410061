import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'reports', 'coverage', '**/*.cjs', '**/*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An index signature that is tested for undefined is our normal way to read maps (noUncheckedIndexedAccess).
      '@typescript-eslint/no-dynamic-delete': 'off',
      'max-params': ['error', 5],
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: {
      // A failed assertion is a test's normal way to say that a value was absent.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: ['harness/**/*.ts'],
    ignores: ['harness/cli/**', 'harness/testing/**', 'harness/dialects/mermaid/oracle/**', '**/*.test.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['harness/{diagram,diagnostics,dialects,contract,verdict,checker,scaffold,report}/**/*.ts'],
    ignores: ['**/*.test.ts', 'harness/dialects/mermaid/oracle/**'],
    rules: {
      'no-restricted-globals': ['error', 'setTimeout', 'fetch', 'process'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'These rooms are pure: time is an input.' },
        { object: 'Math', property: 'random', message: 'These rooms are pure: chance is an input.' },
      ],
    },
  },
);
