import js from '@eslint/js';
import boundaries from 'eslint-plugin-boundaries';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** The floors, top to bottom. A file imports from its own floor or one below it; docs/architecture.md says why. */
const floors = ['host', 'gateway', 'agent', 'memory', 'tools', 'models', 'store', 'transcript', 'base'];

const rules = floors.map((floor, index) => ({
  from: { type: floor },
  allow: { to: { type: floors.slice(index) } },
}));

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '**/node_modules/', '.vscode-test/', '.hermes-dev/', 'coverage/', 'media/'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    languageOptions: { globals: { ...globals.node } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { boundaries },
    settings: {
      'boundaries/elements': [
        ...floors.map((floor) => ({ type: floor, pattern: `src/${floor}` })),
        { type: 'protocol', pattern: 'src/protocol' },
        { type: 'webview', pattern: 'src/webview' },
      ],
      'import/resolver': { typescript: { project: ['tsconfig.json', 'src/webview/tsconfig.json'] } },
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          rules: [
            ...rules,
            { from: { type: 'host' }, allow: { to: { type: 'protocol' } } },
            { from: { type: 'protocol' }, allow: { to: { type: ['protocol', 'transcript', 'base'] } } },
            { from: { type: 'webview' }, allow: { to: { type: ['webview', 'protocol'] } } },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/host/**'],
    rules: {
      'no-restricted-imports': ['error', { paths: [{ name: 'vscode', message: 'Only src/host/ may import vscode (docs/architecture.md).' }] }],
    },
  },
  { files: ['src/webview/**/*.{ts,tsx}', 'test/**/*.tsx'], languageOptions: { globals: { ...globals.browser } } },
);
