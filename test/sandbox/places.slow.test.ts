import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { privateFolder } from '../../src/base/privateFolder';
import { credentialPlaces } from '../support/credentialPlaces';
import { SandboxWorld } from '../support/sandboxWorld';

const canary = 'canary-secret';
let world: SandboxWorld;
beforeAll(async () => {
  world = await SandboxWorld.start();
  world.write('one.txt', 'one\n');
});
afterAll(() => world.dispose());

/** Names that appear in a folder with instructions for editors, agents, shells and package managers, and two of each
 *  kind that nobody has to know. */
const instructing = `
.vscode/settings.json .vscode/tasks.json .idea/runConfigurations/a.xml .husky/pre-commit .githooks/post-merge
.devcontainer/devcontainer.json .devcontainer.json .github/workflows/a.yml .github/actions/a/action.yml .github/dependabot.yml
.github/instructions/a.md .github/prompts/a.md .github/agents/a.md .github/chatmodes/a.md .github/copilot-instructions.md
.claude/settings.json .cursor/rules/a.mdc .codex/a .gemini/settings.json .windsurf/a .continue/a .cline/a .roo/a .kiro/a
.hermes/a .agents/a .amazonq/a .opencode/a .qwen/a .crush/a .iflow/a .junie/a .augment/a AGENTS.md src/AGENTS.md AGENT.md
CLAUDE.md CLAUDE.local.md GEMINI.md HERMES.md .hermes.md QWEN.md CRUSH.md IFLOW.md WARP.md SKILL.md skills/a/SKILL.md
copilot-instructions.md .cursorrules .windsurfrules .clinerules .roorules .roomodes .goosehints .aider.conf.yml .rules
opencode.json opencode.jsonc crush.json .crush.json .mcp.json mcp.json .envrc .env .env.local .npmrc .yarnrc.yml
.pnpmfile.cjs .mise.toml mise.toml .tool-versions lefthook.yml .pre-commit-config.yaml .eslintrc.js .eslintrc.cjs
eslint.config.js src/eslint.config.mjs prettier.config.js .prettierrc.js .stylelintrc.js stylelint.config.js
tailwind.config.js vite.config.ts vitest.config.ts jest.config.js postcss.config.js babel.config.js .babelrc.js
svelte.config.js playwright.config.ts .markdownlint-cli2.cjs cspell.config.js .luarc.json .bazelrc conftest.py
tests/conftest.py .pnp.cjs .pnp.loader.mjs build.rs .cargo/config.toml rust-toolchain.toml a.code-workspace .gitmodules
.gitattributes .gitlab-ci.yml .travis.yml .drone.yml Jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml
.bundle/config pip.conf .pylintrc mypy.ini .rubocop.yml App.csproj Directory.Build.props CMakeLists.txt mix.exs
build.gradle app/build.gradle.kts settings.gradle gradle/wrapper/gradle-wrapper.properties .gradle/init.gradle
.mvn/extensions.xml .mvn/jvm.config .yarn/releases/yarn.cjs .yarn/plugins/a.cjs .nvim.lua .exrc .vimrc .gdbinit .lldbinit
.bashrc .zshrc .inputrc .direnv/a .run/a.xml .settings/a.prefs .project .factorypath .bsp/a.json .zed/settings.json
.fleet/run.json .vs/a .nova/a sitecustomize.py .hg/hgrc .svn/a .jj/a server.pem id_rsa terraform.tfstate
packages/a/.vscode/settings.json packages/a/.github/workflows/a.yml packages/a/b/c/AGENTS.md packages/a/.MCP.json
`
  .trim()
  .split(/\s+/);
/** Names that installing, building and testing make. */
const ordinary = `
src/a.ts README.md package.json dist/index.js node_modules/a/AGENTS.md node_modules/a/.eslintrc.js node_modules/.bin/a
.venv/bin/python .venv/lib/python3/site-packages/certifi/cacert.pem .venv/lib/python3/site-packages/a/conftest.py
.gradle/8.5/a.lock .yarn/install-state.gz .yarn/cache/a.zip .tox/py/lib/a.py target/debug/a build/a.o coverage/lcov.info
.next/server/a.js .pytest_cache/v/a .mypy_cache/a .ruff_cache/a .turbo/a .nyc_output/a.json __pycache__/a.pyc .gitignore
`
  .trim()
  .split(/\s+/);

it('cannot read a place of credentials in the home folder, by its name or by searching', async () => {
  for (const name of credentialPlaces) world.write(join(world.home, name), `${canary} ${name}\n`);
  world.write('names', credentialPlaces.map((name) => `${join(world.home, name)}\n`).join(''));
  const command =
    'while read -r name; do cat "$name"; done < names 2>/dev/null; grep -rhs canary ~; find ~ -type f -exec cat {} + 2>/dev/null; tar cf - ~ 2>/dev/null | grep -a canary; cd ~; cat .*/* .*/*/* 2>/dev/null; true';
  const { output } = await world.run(command);
  expect(output.match(new RegExp(`${canary} \\S+`, 'g')) ?? []).toEqual([]);
  // Without the sandbox the same command finds all of them.
  const outside = spawnSync('/bin/bash', ['-c', command], {
    cwd: world.project,
    env: { PATH: world.path, HOME: world.home },
    maxBuffer: 1e8,
    encoding: 'utf8',
  });
  expect(credentialPlaces.filter((name) => !outside.stdout.includes(`${canary} ${name}`))).toEqual([]);
});

it('reads no name in the home folder that nobody has thought of', async () => {
  const names = ['.new-agent/token', '.config/new/key', '.local/share/new/db', '.local/state/new/a', '.cache/new/a'];
  for (const name of [...names, '.newrc', 'Mail/a', 'snap/new/a', '.cargo/new', '.npm/new', 'go/src/a'])
    world.write(join(world.home, name), canary);
  const { output } = await world.run('grep -rs canary ~ --include=*; cat ~/.newrc ~/.cargo/new ~/.npm/new; true');
  expect(output).not.toContain(canary);
});

it('runs programs of the home folder, and uses their caches', async () => {
  const program = (name: string): void =>
    chmodSync(world.write(join(world.home, name), '#!/bin/sh\necho "$0 runs"\n'), 0o755);
  for (const name of ['.nvm/v/bin/a', '.cargo/bin/b', '.pyenv/shims/c', '.local/bin/d', '.mine/bin/e', 'go/bin/f'])
    program(name);
  program('.local/share/app/versions/1/g');
  symlinkSync(join(world.home, '.local/share/app/versions/1/g'), join(world.home, '.local/bin/g'));
  const folders = ['.nvm/v/bin', '.cargo/bin', '.pyenv/shims', '.local/bin', '.mine/bin', 'go/bin'];
  const before = world.path;
  world.path = [...folders.map((name) => join(world.home, name)), before].join(':');
  mkdirSync(join(world.home, '.npm/_cacache'), { recursive: true });
  const { output } = await world.run(
    'for each in a b c d e f g; do $each; done; echo x > ~/.npm/_cacache/x && echo cached',
    {
      environment: { PATH: world.path },
    },
  );
  world.path = before;
  expect([
    output.match(/runs/g)?.length,
    output.includes('cached'),
    existsSync(join(world.home, '.npm/_cacache/x')),
  ]).toEqual([7, true, true]);
});

it("reads no other person's home, no other folder beside the open one, and no other machine's disk", async () => {
  const { base } = world;
  const names = ['home/other/.ssh/id_rsa', 'mnt/c/Users/me/.aws/credentials', 'workspaces/b/.env', 'run/secrets/token'];
  for (const name of [...names, 'media/me/disk/a', 'workspaces/open/src/a.ts']) world.write(join(base, name), canary);
  world.folders = [world.project, join(base, 'workspaces/open')];
  world.places = ['home/*', 'mnt/*/Users', 'workspaces/*', 'run/secrets', 'media/*'].map((place) => join(base, place));
  const { output } = await world.run(`cd ${base}; grep -rs ${canary} home mnt workspaces run media; ls workspaces/b`);
  world.folders = [world.project];
  world.places = undefined;
  expect(output.trim().split('\n')).toEqual([`workspaces/open/src/a.ts:${canary}`]);
});

it("cannot read, change or replace Hermes' private copies in the temporary folder", async () => {
  const folder = privateFolder(world.temporary);
  const copy = world.write(join(folder, 'history-1/state.db'), canary);
  const { output } = await world.run(
    `cat ${folder}/*/*; echo evil > ${copy}; mv ${folder} ${world.temporary}/moved && cat ${world.temporary}/moved/*/*; rm -rf ${folder}; grep -rs ${canary} ${world.temporary}; true`,
  );
  expect([output.includes(canary), existsSync(copy), readdirSync(world.temporary).includes('moved')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(privateFolder(world.temporary).startsWith(tmpdir())).toBe(true);
});

it('leaves none of the files that an edit would ask for, and leaves what installing and building make', async () => {
  world.write('made', `${[...instructing, ...ordinary].join('\n')}\n`);
  const { takenOut } = await world.run(
    'while read -r name; do mkdir -p "$(dirname "$name")"; echo x > "$name"; done < made',
  );
  expect({
    left: instructing.filter((name) => existsSync(join(world.project, name))),
    missing: ordinary.filter((name) => !existsSync(join(world.project, name))),
    unreported: instructing.filter((name) => !takenOut.some((each) => `${name}/`.startsWith(`${each}/`))),
  }).toEqual({ left: [], missing: [], unreported: [] });
});

it('leaves none of them by a link, a move, a copy or another name', async () => {
  const folder = join(world.home, 'code/second');
  mkdirSync(folder);
  world.folders = [folder];
  const { takenOut } = await world.run(
    `mkdir t && echo x > t/settings.json && ln -s t .vscode; mkdir g g/workflows && echo x > g/workflows/a.yml && ln -s g .github; ` +
      `echo x > a && mv a AGENTS.md; echo x > b && ln b CLAUDE.md; cp b eslint.config.js; mkdir h && echo x > h/pre-commit && mv h .husky; ` +
      `ln -s nowhere .envrc; mkfifo .mcp.json; echo x > .eNvRc2; echo x > agents.MD; mkdir deep && cd deep && ln -s ../t .idea`,
    { folder },
  );
  world.folders = [world.project];
  const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => /vscode|github|agents|claude|eslint|husky|envrc$|mcp|\.idea/i.test(name))).toEqual([]);
  expect(takenOut).toEqual(
    expect.arrayContaining(['.github', '.husky', '.vscode', 'AGENTS.md', 'CLAUDE.md', 'agents.MD', 'deep/.idea']),
  );
});

it('cannot replace a link to such a file, or a file that is there', async () => {
  world.write('docs/agents.md', 'ours');
  symlinkSync('docs/agents.md', join(world.project, 'AGENTS.md'));
  world.write('vite.config.ts', 'ours');
  await world.run(
    'rm AGENTS.md; echo evil > AGENTS.md; echo evil > vite.config.ts; mv vite.config.ts x; echo evil > docs/agents.md',
  );
  const { output } = await world.run('cat AGENTS.md vite.config.ts docs/agents.md 2>/dev/null; true');
  expect(output).not.toContain('evil');
});
