import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandboxProblem } from '../../scripts/sandboxInstall.mjs';
import { reply } from '../support/modelServer';
import { chooseMode } from './workPanel';
import { WorkRepository } from './workRepository';
import { scriptedVscode } from './scriptedVscode';

/** An hour of ordinary work. */
const commands = String.raw`
ls -la
cat package.json README.md
git status && git log --oneline -5
grep -rn "retry" src
rg -n FIRST_WAIT src || grep -rn FIRST_WAIT src
find . -name "*.js" -not -path "./node_modules/*"
node --version && npm --version
wc -l src/*.js
sed -n '1,20p' src/retry.js
npm install --no-audit --no-fund
npm ls --depth=0
npm test
npm run build --if-present
node --check src/retry.js
git checkout -b feat/retry
sed -i 's/attempt - 1/attempt - 2/' src/retry.js
git diff --stat && git diff
node --test test/retry.test.js
git add -A
git commit -m "fix: wait for less, rm the old way"
mkdir -p src/util && echo 'export const one = 1;' > src/util/one.js
printf 'export const two = 2;\n' | tee src/util/two.js
cp src/util/one.js src/util/three.js && mv src/util/three.js src/util/four.js
rm src/util/four.js
mkdir -p dist && cp src/retry.js dist/ && rm -rf dist
npm pack --dry-run
git stash -u
git stash list && git stash pop
git add src/util && git commit -qm "feat: util"
git checkout main
git checkout feat/retry
echo '// x' >> src/retry.js && git diff --quiet; git checkout -- src/retry.js
echo '// x' >> src/retry.js; git restore src/retry.js
git rebase main
git log --oneline --graph --all | head -20
git commit --amend --no-edit
git reset --soft HEAD~1 && git commit -qm again
echo y > scratch.txt && git reset --hard
git clean -fd
git tag v0.0.1
git branch -a && git remote -v
git switch main && git merge feat/retry
git branch -d feat/retry
python3 -c 'print(1+1)'
python3 -m venv --without-pip .venv && .venv/bin/python -V
for f in src/*.js; do echo "$f"; done
find src -name '*.tmp' -delete
git ls-files | xargs wc -l
tar czf "$TMPDIR/x.tgz" src && tar tzf "$TMPDIR/x.tgz"
npx --no-install tsc --version || true
make --version | head -1
docker ps || true
env | sort | head -3
chmod +x src/retry.js
timeout 20 node -e "require('http').createServer().listen(0, function () { console.log('listens'); this.close(); })"
cat > src/note.js <<'EOF'
export const note = 'rm -rf /';
EOF
git checkout lint && ls
git checkout main && git cherry-pick lint && git show --stat HEAD
jq -r .name package.json || node -p "require('./package.json').name"
diff -r src test | head -5
curl -sSf -m 5 https://registry.example.org/x || true
git push origin main
`;
const lines = commands.trim().replace(/^cat > .*\n.*\nEOF$/m, (text) => text.replaceAll('\n', '\0'));

if (sandboxProblem() === undefined) {
  const { server, vscode, open, query } = await scriptedVscode();

  test('an hour of ordinary work in Edit Automatically asks nothing', async () => {
    const { folder } = WorkRepository.create(vscode());
    const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
    git('config', 'user.name', 'A Person');
    git('config', 'user.email', 'person@example.com');
    git('checkout', '-qb', 'lint');
    for (const name of ['eslint.config.js', 'CMakeLists.txt', '.env.example'])
      fs.writeFileSync(path.join(folder, name), '// theirs\n');
    git('add', '-A');
    git('commit', '-qm', 'lint');
    git('checkout', '-q', 'main');
    const panel = await open(folder);
    await chooseMode(panel, 'Edit Automatically');
    const all = lines.split('\n').map((line) => line.replaceAll('\0', '\n'));
    server.script(
      ...all.map((command, index) => reply().calls('run_command', { command }, { id: `w${index}` })),
      reply().says('All done.'),
    );
    await panel.send('Work.');
    let isDone = false;
    const done = panel.answered('All done.').finally(() => (isDone = true));
    const card = panel.frame.getByRole('alertdialog').getByRole('button', { name: 'Allow Once', exact: true });
    while (!isDone) await card.click({ timeout: 2000 }).catch(() => undefined);
    await done;
    const asked = all.filter((_, index) => query('SELECT 1 FROM approvals WHERE call_id = ?', `w${index}`).length > 0);
    // What a commit brings that only the user may allow is taken out again; a sample of settings stays.
    const isThere = ['CMakeLists.txt', 'eslint.config.js', '.env.example'].map((name) =>
      fs.existsSync(path.join(folder, name)),
    );
    expect({ asked, isThere }).toEqual({ asked: [], isThere: [false, false, true] });
  });
}
