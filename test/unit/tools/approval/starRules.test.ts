import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fetched,
  hidden,
  laterWords,
  otherPlaces,
  placed,
  type RuleTable,
  wholeDisk,
} from '../../../support/starRuleAttacks';
import { PolicyWorld } from './policyWorld';

let world: PolicyWorld;
beforeAll(() => (world = new PolicyWorld()));
afterAll(() => world.dispose());

/** Those of the commands that run unasked in a mode where edits do not ask, under this rule alone. */
function allowedBy(rule: string, commands: readonly string[]): readonly string[] {
  world.sessionRules = [rule];
  try {
    return commands.filter((command) => world.run(command, 'auto') === 'allow');
  } finally {
    world.sessionRules = [];
  }
}

describe('a rule with a wildcard', () => {
  const tables: Readonly<Record<string, RuleTable>> = {
    'does not cover a flag that runs a command, wherever it stands in a word of short flags': hidden,
    'does not cover words that name files which are asked for in every mode': placed,
    'does not cover commands that stand in later words': laterWords,
    'does not cover what is fetched and run, nor settings that name what runs': fetched,
    'does not cover another machine or folder for a repository, wherever it stands': otherPlaces,
    'does not cover the whole disk': wholeDisk,
  };
  for (const [title, table] of Object.entries(tables)) {
    it(title, () => {
      expect(
        table.flatMap(([rule, ...commands]) =>
          allowedBy(`run(${rule})`, commands).map((command) => `${rule}: ${command}`),
        ),
      ).toEqual([]);
    });
  }

  it('continues to cover everyday commands', () => {
    const everyDay: RuleTable = [
      ['npm test *', 'npm test -- --run x', 'npm test -- --watch=false src/a.ts'],
      [
        'npm run *',
        'npm run build',
        'npm run start',
        'npm run watch',
        'npm run lint -- --fix',
        'npm run test:unit -- -t name',
      ],
      ['npm *', 'npm test', 'npm run build', 'npm ls', 'npm outdated'],
      [
        'git commit *',
        'git commit -am "fix: an x"',
        'git commit -m "fix" -m "more"',
        'git commit --amend --no-edit',
        'git commit -qam x',
        'git commit -mfix',
      ],
      ['git add *', 'git add -A', 'git add src/a.ts', 'git add AGENTS.md .github/workflows/ci.yml', 'git add -u'],
      [
        'git push *',
        'git push',
        'git push -u origin feat/x',
        'git push --force-with-lease origin feat',
        'git push origin HEAD:main',
        'git push -q',
      ],
      ['git fetch *', 'git fetch', 'git fetch --all --prune', 'git fetch -p origin', 'git fetch --depth 1 origin'],
      ['git pull *', 'git pull --rebase', 'git pull -r origin main', 'git pull --ff-only'],
      [
        'git *',
        'git stash',
        'git switch main',
        'git checkout -b feat/x',
        'git merge --no-ff feat',
        'git log -p -3',
        'git branch -vv',
        'git rebase main',
        'git tag -a v1 -m one',
        'git show HEAD',
        'git reset HEAD~1',
        'git diff origin/HEAD',
      ],
      [
        'pytest *',
        'pytest -x -k name',
        'pytest -q tests/test_a.py',
        'pytest -vv --tb=short',
        'pytest -kopen',
        'pytest -rA',
        'pytest -n 4',
      ],
      ['make *', 'make -j4 all', 'make -s test', 'make -k', 'make -B lint'],
      ['cargo test *', 'cargo test --release', 'cargo test -p crate name -- --nocapture'],
      ['cargo build *', 'cargo build -q', 'cargo build --features x'],
      ['go test *', 'go test ./... -run Name -v', 'go test -count=1 ./pkg'],
      ['eslint *', 'eslint --fix src', 'eslint src --max-warnings 0'],
      ['tsc *', 'tsc --noEmit', 'tsc -b --watch'],
      ['prettier *', 'prettier --check .', 'prettier --write src/a.ts'],
      ['vitest *', 'vitest run src -t name'],
      ['jest *', 'jest --runInBand src', 'jest -t name'],
      ['gradle test *', 'gradle test --tests x -q'],
      ['mvn test *', 'mvn test -q', 'mvn test -pl a -am', 'mvn test -B -ntp'],
      ['docker *', 'docker ps -a', 'docker logs x'],
      ['kubectl *', 'kubectl get pods -n x'],
      ['mkdir *', 'mkdir -p src/a'],
      ['cp *', 'cp src/a.ts src/b.ts', 'cp -r src lib'],
      ['tar *', 'tar -czf x.tgz src', 'tar xf x.tgz'],
      ['python3 scripts/a.py *', 'python3 scripts/a.py --fast x'],
      ['python3 -m pytest *', 'python3 -m pytest -q'],
      ['uv run pytest *', 'uv run pytest -q'],
      ['cargo *', 'cargo test', 'cargo build --release', 'cargo clippy'],
      ['go *', 'go test ./...', 'go build ./...', 'go vet ./...'],
      ['pip *', 'pip list', 'pip show x'],
      ['run-it *', 'run-it --verbose src/a.ts', 'run-it -v'],
      ['bun run build *', 'bun run build --watch'],
      ['yarn build *', 'yarn build --watch'],
      ['pnpm exec vitest *', 'pnpm exec vitest run'],
      ['npx playwright *', 'npx playwright test -g name'],
      ['./scripts/run-it *', './scripts/run-it --fast -e x'],
      ['go test *', 'go test -coverprofile=c.out ./...'],
      ['yarn *', 'yarn test', 'yarn build', 'yarn run lint'],
    ];
    expect(
      everyDay.flatMap(([rule, ...commands]) =>
        commands
          .filter((command) => !allowedBy(`run(${rule})`, commands).includes(command))
          .map((command) => `${rule}: ${command}`),
      ),
    ).toEqual([]);
  });
});
