import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { VscodeSession } from '../support/vscode';

const right = 'FIRST_WAIT_MS * 2 ** (attempt - 2)';
const wrong = 'FIRST_WAIT_MS * 2 ** (attempt - 1)';

/** The replacement that makes the failing test pass. */
export const fix = { path: 'src/retry.js', old_text: wrong, new_text: right };
/** The same, as a card and a row draw it. */
export const fixLines = [
  `-  return Math.min(${wrong}, LONGEST_WAIT_MS);`,
  `+  return Math.min(${right}, LONGEST_WAIT_MS);`,
];

/** Runs for as long as the file that PARCEL_HOLD names is there, so that a test can look at a command that runs. */
const slowTest = `import { existsSync } from 'node:fs';
import { test } from 'node:test';

test('goes on while it is held', { timeout: 60_000 }, async () => {
  while (existsSync(process.env.PARCEL_HOLD ?? '')) await new Promise((resolve) => setTimeout(resolve, 50));
});
`;

/** What can hold the tests of a repository, from outside of it. Its `env` goes to the VS Code in which they are run. */
export class TestHold {
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parcel-hold-'));
  readonly #file = path.join(this.#folder, 'hold');
  readonly env = { PARCEL_HOLD: this.#file };

  hold(): void {
    fs.writeFileSync(this.#file, '');
  }

  release(): void {
    fs.rmSync(this.#file, { force: true });
  }

  dispose(): void {
    fs.rmSync(this.#folder, { recursive: true });
  }
}

/** The sample project under git, with one wrong sign in it: `npm test` fails. */
export class WorkRepository {
  private constructor(readonly folder: string) {}

  static create(vscode: VscodeSession): WorkRepository {
    const repository = new WorkRepository(vscode.sampleFolder());
    fs.writeFileSync(repository.fixedFile, repository.text.replace(right, wrong));
    fs.writeFileSync(path.join(repository.folder, 'test/slow.test.js'), slowTest);
    repository.git('init', '--quiet', '--initial-branch=main');
    repository.git('add', '.');
    repository.git(
      '-c',
      'user.name=A Person',
      '-c',
      'user.email=person@example.com',
      'commit',
      '--quiet',
      '--message=Parts are sent again',
    );
    return repository;
  }

  get fixedFile(): string {
    return path.join(this.folder, fix.path);
  }

  get text(): string {
    return fs.readFileSync(this.fixedFile, 'utf8');
  }

  get isFixed(): boolean {
    return this.text.includes(right);
  }

  /** Puts the file back as it is committed. */
  breakAgain(): void {
    fs.writeFileSync(this.fixedFile, this.text.replace(right, wrong));
  }

  /** What git knows beside the work tree: none of it may change. */
  gitState(): Readonly<Record<string, string>> {
    const index = fs.readFileSync(path.join(this.folder, '.git/index'));
    return {
      staged: this.git('ls-files', '--stage'),
      stash: this.git('stash', 'list'),
      refs: this.git('for-each-ref'),
      index: createHash('sha256').update(index).digest('hex'),
    };
  }

  status(): string {
    return this.git('--no-optional-locks', 'status', '--porcelain');
  }

  private git(...args: readonly string[]): string {
    return execFileSync('git', args, {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  }
}
