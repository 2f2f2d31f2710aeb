import { defineConfig } from 'vitest/config';

// Pure tests share one process (compiling schemas per file would cost more than the tests); tests that start threads,
// processes or terminals run apart, one file a process.
const apart = ['tests/e2e/**/*.test.ts', 'tests/crash/**/*.test.ts', 'tests/terminal/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['tests/helpers/global-setup.ts'],
    reporters: ['default', './tests/helpers/plain-reporter.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'rooms', include: ['tests/**/*.test.ts'], exclude: apart, isolate: false, pool: 'forks' } },
      // A run on a machine that others load may be told to try once more (shown as a retry); by default nothing is tried twice.
      { extends: true, test: { name: 'apart', include: apart, pool: 'forks', retry: Number(process.env.XZ_TEST_RETRY ?? 0) } },
    ],
  },
});
