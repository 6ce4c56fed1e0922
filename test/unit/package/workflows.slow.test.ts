import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { desktopVersion } from '../../../scripts/hostSuite.mjs';
import { releaseProblems } from '../../../scripts/releaseCheck.mjs';
import { stepsOf } from '../../../scripts/workflowSteps.mjs';

const ci = readFileSync(fileURLToPath(new URL('../../../.github/workflows/ci.yml', import.meta.url)), 'utf8');

const steps = v.object({ steps: v.array(v.object({ name: v.optional(v.string()), run: v.optional(v.string()) })) });
const releaseSchema = v.object({ jobs: v.object({ package: steps, publish: steps }) });

describe('the steps of a job', () => {
  const workflow = (steps: string): string => `
env: { PATIENCE: 2 }
jobs:
  linux:
    env: { OTHER: yes }
    steps:
${steps}`;

  it('are those that run a command without a condition', () => {
    const steps = workflow(`
      - uses: actions/checkout@v6
      - { name: Lint, run: npm run lint }
      - { name: Tell, if: failure(), run: echo no }`);
    expect(stepsOf(steps, 'linux')).toEqual({
      env: { PATIENCE: '2', OTHER: 'yes' },
      steps: [
        { name: 'actions/checkout@v6', reason: 'uses actions/checkout@v6' },
        { name: 'Lint', run: 'npm run lint' },
        { name: 'Tell', reason: 'only if failure()' },
      ],
    });
  });

  it('are refused where they need a value that only GitHub has', () => {
    expect(() => stepsOf(workflow("      - { name: A, run: 'echo ${{ matrix.node }}' }"), 'linux')).toThrow(
      'A needs a value of GitHub',
    );
    expect(() => stepsOf(workflow('      - { run: echo }'), 'windows')).toThrow(
      'There is no job windows; there are linux',
    );
  });

  it('of the Linux job can be run from the file', () => {
    const runs = stepsOf(ci, 'linux').steps.filter(({ run }) => run !== undefined);
    expect(runs.at(-1)?.run).toContain('npm test');
  });
});

describe('a release', () => {
  it('has the tag of its version, an owner and a heading in the change log', () => {
    const project = { version: '1.2.3', changelog: '## 1.2.3', isPlaceholder: false };
    expect([
      releaseProblems('v1.2.3', project),
      releaseProblems('v1.2.4', { ...project, changelog: '## 1.2.2', isPlaceholder: true }),
    ]).toEqual([
      [],
      [
        'The tag is v1.2.4, and package.json has version 1.2.3.',
        'scripts/identity.json holds placeholders: docs/publishing.md says what an owner decides.',
        'CHANGELOG.md has no heading for 1.2.3.',
      ],
    ]);
  });
});

describe('the workflow of a release', () => {
  it('publishes the package and its bill of materials beside it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-release-'));
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    const stand = (name: string, script: string): void =>
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    stand('npm', 'echo package > hermes-1.2.3.vsix; echo bill > hermes-1.2.3.cdx.json');
    stand('node', 'echo release');
    stand('gh', 'printf "%s\\n" "$@" > published');
    const workflow = readFileSync(new URL('../../../.github/workflows/release.yml', import.meta.url), 'utf8');
    const { jobs } = v.parse(releaseSchema, parse(workflow));
    const env = { PATH: `${programs}:${process.env['PATH']}`, GITHUB_REF_NAME: 'v1.2.3' };
    const run = (job: keyof typeof jobs, name: string): void => {
      const step = jobs[job].steps.find((each) => each.name === name);
      execFileSync('bash', ['-e', '-c', step?.run ?? 'exit 1'], { cwd: folder, env });
    };
    run('package', 'Package twice, with the same bytes');
    run('publish', 'Create the release on GitHub');
    const published = readFileSync(join(folder, 'published'), 'utf8').split('\n');
    rmSync(folder, { recursive: true });
    expect(published.filter((word) => word.startsWith('release/'))).toEqual([
      'release/hermes-1.2.3.cdx.json',
      'release/hermes-1.2.3.vsix',
    ]);
  });
});

describe('the desktop build of the tests', () => {
  it.each([
    ['1', /^stable$/],
    ['stable', /^stable$/],
    ['oldest', /^1\.\d+\.\d+$/],
    ['1.107.0', /^1\.107\.0$/],
  ])('for %s is %s', (wanted, version) => {
    expect(desktopVersion(wanted)).toMatch(version);
  });
});
