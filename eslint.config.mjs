import js from '@eslint/js';
import boundaries from 'eslint-plugin-boundaries';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { lineWidth } from './scripts/lint/lineWidth.mjs';

/** The floors, top to bottom. A file imports from its own floor or one below it; docs/architecture.md says why. */
const floors = ['host', 'gateway', 'agent', 'memory', 'tools', 'models', 'store', 'transcript', 'base'];

const element = (type) => ({ element: { type } });

const policies = [
  {
    from: element('features'),
    allow: { to: element(['features', 'featureCore', 'protocol', 'sources', ...floors]) },
  },
  {
    from: element('featureCore'),
    allow: { to: element(['featureCore', 'protocol', 'sources', ...floors.slice(1)]) },
  },
  ...floors.map((floor, index) => ({ from: element(floor), allow: { to: element(floors.slice(index)) } })),
  { from: element('host'), allow: { to: element(['protocol']) } },
  { from: element('sources'), allow: { to: element(['sources', 'transcript', 'base']) } },
  { from: element('protocol'), allow: { to: element(['protocol', 'transcript', 'base']) } },
  { from: element('webview'), allow: { to: element(['webview', 'protocol', 'transcript', 'base']) } },
];

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
        { type: 'sources', pattern: 'src/features/history/core/sources' },
        // A feature's rooms that a page needs.
        { type: 'protocol', pattern: 'src/features/*/protocol' },
        { type: 'webview', pattern: 'src/features/*/view' },
        // A feature's rooms that know nothing of the editor.
        { type: 'featureCore', pattern: 'src/features/*/{core,store}' },
        { type: 'features', pattern: 'src/features' },
        { type: 'protocol', pattern: 'src/protocol' },
        { type: 'webview', pattern: 'src/webview' },
      ],
      'import/resolver': {
        typescript: { project: ['tsconfig.json', 'src/webview/tsconfig.json'], noWarnOnMultipleProjects: true },
      },
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          policies,
        },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-use-before-define': ['error', { functions: false, classes: false, typedefs: false }],
    },
  },
  // A guard that fails must not end unseen: a promise is awaited, or says what its rejection means.
  {
    files: ['src/tools/**/*.ts', 'src/features/mcp/core/**/*.ts'],
    rules: { '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }] },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/host/**', 'src/*.ts', 'src/features/*/{index.ts,host/**}'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'vscode', message: 'Only the host may import vscode (docs/architecture.md).' }] },
      ],
    },
  },
  {
    files: ['src/**', 'scripts/**', 'lab/**', 'test/unit/{agent,base,gateway,host,memory,transcript,webview}/**'],
    plugins: { hermes: { rules: { 'line-width': lineWidth } } },
    rules: { 'hermes/line-width': 'error' },
  },
  {
    files: ['src/{webview,features/*/view}/**/*.{ts,tsx}', 'test/**/*.tsx'],
    languageOptions: { globals: { ...globals.browser } },
  },
);
