import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PersonalPlaces, personalPlaces } from '../../../../src/agent/project/personalPlaces';
import { joined, type ProjectContext, readPersonal, readProject } from '../../../../src/agent/project/projectContext';
import { contextFiles, projectPrompt } from '../../../../src/agent/project/projectPrompt';
import { expandPrompt } from '../../../../src/agent/project/promptFiles';
import { type PersonalGroup, personalGroups } from '../../../../src/transcript/contextFiles';
import { type Files, foldersPerTest } from '../../../support/filesOnDisk';
import { FolderOnDisk } from '../../../support/folderOnDisk';

const folderWith = foldersPerTest();

function placesIn(home: string): PersonalPlaces {
  return personalPlaces(home, {}, 'linux');
}

/** What agents get in a folder, of a user with this home folder. */
async function read(
  home: string,
  folder: Files = {},
  groups: readonly PersonalGroup[] = personalGroups,
): Promise<ProjectContext> {
  const files = new FolderOnDisk([{ name: 'w', path: folderWith(folder) }]);
  const denials = { files, deniesReading: () => false };
  const { signal } = new AbortController();
  return joined([
    await readProject(denials, 'others', signal),
    await readPersonal(denials, { places: placesIn(home), groups }, 'others', signal),
  ]);
}

const skill = (name: string, text = 'Do it.'): string => `---\nname: ${name}\ndescription: For ${name}\n---\n${text}`;

const everything: Files = {
  '.config/hermes/AGENTS.md': 'hermes rules',
  '.config/hermes/prompts/fix.md': 'Fix $ARGUMENTS as I like it.',
  '.config/hermes/skills/ship/SKILL.md': skill('ship'),
  '.claude/CLAUDE.md': 'claude rules',
  '.claude/commands/review.md': 'Review.',
  '.claude/skills/draw/SKILL.md': skill('draw'),
  '.claude/projects/x/history.jsonl': 'not read',
  '.codex/AGENTS.md': 'codex rules',
  '.codex/prompts/plan.md': 'Plan.',
  '.codex/skills/test/SKILL.md': skill('test'),
  '.codex/auth.json': '{}',
};

function names({ rules, prompts, skills, left }: ProjectContext): unknown {
  return {
    rules: rules.map(({ path, origin }) => `${origin}: ${path}`),
    prompts: prompts.map(({ name, origin }) => `${origin}: /${name}`),
    skills: skills.map(({ name, origin }) => `${origin}: ${name}`),
    left,
  };
}

describe('personal files', () => {
  it('of Hermes, Claude Code and Codex come after those of the folder', async () => {
    expect(names(await read(folderWith(everything), { 'AGENTS.md': 'project rules' }))).toEqual({
      rules: [
        'folder: AGENTS.md',
        'hermes: ~/.config/hermes/AGENTS.md',
        'claude: ~/.claude/CLAUDE.md',
        'codex: ~/.codex/AGENTS.md',
      ],
      prompts: ['hermes: /fix', 'claude: /review', 'codex: /plan'],
      skills: ['hermes: ship', 'claude: draw', 'codex: test'],
      left: [],
    });
  });

  it('are left out by group', async () => {
    const home = folderWith(everything);
    expect([names(await read(home, {}, ['codex'])), names(await read(home, {}, []))]).toEqual([
      { rules: ['codex: ~/.codex/AGENTS.md'], prompts: ['codex: /plan'], skills: ['codex: test'], left: [] },
      { rules: [], prompts: [], skills: [], left: [] },
    ]);
  });

  it("give way to the folder's own of the same name, and a text counts once", async () => {
    const home = folderWith({
      '.config/hermes/AGENTS.md': 'the same',
      '.claude/CLAUDE.md': 'the same',
      '.claude/commands/review.md': 'mine',
      '.claude/skills/ship/SKILL.md': skill('ship', 'mine'),
    });
    const context = await read(home, {
      '.claude/commands/review.md': 'of the folder',
      '.claude/skills/ship/SKILL.md': skill('ship', 'of the folder'),
    });
    expect([
      context.rules.map(({ path }) => path),
      [...context.prompts, ...context.skills].map(({ body, origin }) => `${origin}: ${body}`),
    ]).toEqual([['~/.config/hermes/AGENTS.md'], ['folder: of the folder', 'folder: of the folder']]);
  });

  it('are told to the model as the user’s own, and counted with their origin', async () => {
    const context = await read(folderWith(everything), { 'AGENTS.md': 'project rules' }, ['hermes']);
    const prompt = projectPrompt(context, true);
    expect({
      titles: prompt.split('\n').filter((line) => line.startsWith('# ')),
      rules: prompt.match(/<rules file="[^"]*">\n.*\n/g),
      files: contextFiles(context).map((file) => ({ ...file, tokens: file.tokens > 0 })),
      sent: expandPrompt('/fix a.ts', context.prompts),
    }).toEqual({
      titles: ['# Rules of the project', '# Rules of the person', '# Skills of the person'],
      rules: ['<rules file="AGENTS.md">\nproject rules\n', '<rules file="~/.config/hermes/AGENTS.md">\nhermes rules\n'],
      files: [
        { kind: 'rules', path: 'AGENTS.md', origin: 'folder', tokens: true },
        { kind: 'rules', path: '~/.config/hermes/AGENTS.md', origin: 'hermes', tokens: true },
        { kind: 'skills', count: 1, origin: 'hermes', tokens: true },
      ],
      sent:
        "(The person ran /fix. What follows is the person's own file ~/.config/hermes/prompts/" +
        'fix.md.)\n\nFix a.ts as I like it.',
    });
  });

  it('get only the room that the rules of the folder leave', async () => {
    const home = folderWith({ '.config/hermes/AGENTS.md': 'h'.repeat(5000) });
    const context = await read(home, { 'AGENTS.md': 'a'.repeat(20_000), 'CLAUDE.md': 'c'.repeat(19_500) });
    expect(projectPrompt(context, true)).toContain(
      'Left out for their length, to be read with read_file: ~/.config/hermes/AGENTS.md.',
    );
  });

  it('are read through links within the home folder, and left out with a reason otherwise', async () => {
    const home = folderWith({
      'dotfiles/AGENTS.md': 'linked rules',
      'dotfiles/skills/ship/SKILL.md': skill('ship'),
      '.env': 'KEY=secret',
      '.config/hermes/prompts/large.md': 'x'.repeat(600 * 1024),
      '.config/hermes/prompts/closed.md': 'closed',
      '.claude/x': '',
      '.codex/skills/x': '',
    });
    const elsewhere = folderWith({ 'CLAUDE.md': 'of somebody else' });
    symlinkSync('../../dotfiles/AGENTS.md', join(home, '.config/hermes/AGENTS.md'));
    symlinkSync(join(elsewhere, 'CLAUDE.md'), join(home, '.claude/CLAUDE.md'));
    symlinkSync('../.env', join(home, '.codex/AGENTS.md'));
    symlinkSync('missing', join(home, '.codex/prompts'));
    symlinkSync('../../dotfiles/skills/ship', join(home, '.codex/skills/ship'));
    chmodSync(join(home, '.config/hermes/prompts/closed.md'), 0o000);
    writeFileSync(join(home, '.config/hermes/prompts/binary.md'), Buffer.from([0, 159, 146, 150, 0, 1]));
    const found = await read(home);
    // The administrator may read everything.
    const closed =
      process.getuid?.() === 0 ? [] : [{ path: '~/.config/hermes/prompts/closed.md', reason: 'unreadable' }];
    expect([names({ ...found, prompts: [] }), JSON.stringify(found).includes('KEY=secret')]).toEqual([
      {
        rules: ['hermes: ~/.config/hermes/AGENTS.md'],
        prompts: [],
        skills: ['codex: ship'],
        left: [
          { path: '~/.claude/CLAUDE.md', reason: 'link' },
          { path: '~/.codex/AGENTS.md', reason: 'secrets' },
          { path: '~/.config/hermes/prompts/binary.md', reason: 'text' },
          ...closed,
          { path: '~/.config/hermes/prompts/large.md', reason: 'size' },
        ],
      },
      false,
    ]);
  });
});

describe('the folders of personal files', () => {
  it('follow the system and the variables of each tool', () => {
    const moved = { XDG_CONFIG_HOME: '/x', CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/o' };
    const folders = [
      personalPlaces('/home/a', {}, 'linux').folders,
      personalPlaces('/Users/a', {}, 'darwin').folders,
      personalPlaces('/home/a', moved, 'linux').folders,
      personalPlaces('/home/a', { XDG_CONFIG_HOME: 'relative', CODEX_HOME: '' }, 'linux').folders,
      personalPlaces('C:\\Users\\a', { APPDATA: 'C:\\Users\\a\\AppData\\Roaming' }, 'win32').folders,
    ];
    expect(folders.map(({ hermes, claude, codex }) => ({ hermes, claude, codex }))).toEqual([
      { hermes: '/home/a/.config/hermes', claude: '/home/a/.claude', codex: '/home/a/.codex' },
      { hermes: '/Users/a/.config/hermes', claude: '/Users/a/.claude', codex: '/Users/a/.codex' },
      { hermes: '/x/hermes', claude: '/c', codex: '/o' },
      { hermes: '/home/a/.config/hermes', claude: '/home/a/.claude', codex: '/home/a/.codex' },
      {
        hermes: 'C:\\Users\\a\\AppData\\Roaming\\hermes',
        claude: 'C:\\Users\\a\\.claude',
        codex: 'C:\\Users\\a\\.codex',
      },
    ]);
  });
});
