import { defineConfig } from 'vitest/config';

/** Commands in a real sandbox of this machine. With `--mode whole` the table of hostile commands is run to its end, else a share of it. */
export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/sandbox/**/*.test.ts'],
    env: { HERMES_CANARIES: mode === 'whole' ? 'all' : 'share' },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
}));
