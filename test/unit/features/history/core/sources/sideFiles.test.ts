import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claudeSource } from '../../../../../../src/features/history/core/sources/claude/claudeSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { importWorld, storedOutline } from '../../../../../support/history/importWorld';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { findHistory, outline, placesWith, readHistory } from '../../../../../support/history/readHistory';

let claude: string;
beforeEach(() => (claude = mkdtempSync(join(tmpdir(), 'hermes-side-files-'))));
afterEach(() => rmSync(claude, { recursive: true, force: true }));

const saved = (path: string): string =>
  `<persisted-output>\nOutput too large (3MB). Full output saved to: ${path}\n\nPreview:\nfirst\n</persisted-output>`;

function line(uuid: string, parentUuid: string | null, type: 'user' | 'assistant', content: unknown): string {
  const message = { role: type, content, ...(type === 'assistant' ? { id: `m-${uuid}` } : {}) };
  return `${JSON.stringify({ uuid, parentUuid, type, sessionId: 's', timestamp: '2026-11-20T10:00:00Z', message })}\n`;
}

const session = (pointer: string): string =>
  line('a', null, 'user', 'Run it') +
  line('b', 'a', 'assistant', [{ type: 'tool_use', id: 'c1', name: 'Bash', input: {} }]) +
  line('c', 'b', 'user', [{ type: 'tool_result', tool_use_id: 'c1', content: saved(pointer) }]) +
  line('d', 'c', 'assistant', [{ type: 'text', text: 'It ran.' }]);

/** The line of the result. */
async function resultWith(pointer: string): Promise<string> {
  writeFileSync(join(claude, 'projects/p/s.jsonl'), session(pointer));
  const source = claudeSource(new NodeHistoryFiles());
  const { sessions } = await findHistory(source, placesWith({ claude }));
  const [found] = sessions.filter(({ id }) => id === 's');
  if (found === undefined) throw new Error('no session');
  return outline(await readHistory(source, found))[2] ?? '';
}

test('takes in the full output of a tool from a file of the session, and names what is cut', async () => {
  const folder = join(claude, 'projects/p/s/tool-results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'b1.txt'), 'the whole output');
  writeFileSync(join(folder, 'b2.txt'), 'x'.repeat(200_000));
  const [whole, cut] = [await resultWith('C:\\Users\\me\\s\\tool-results\\b1.txt'), await resultWith('/gone/b2.txt')];

  expect(whole).toMatch(/Preview:\nfirst\n<\/persisted-output>\n\n\[Full output\]\nthe whole output$/);
  expect([cut.length < 101_000, cut.slice(-84)]).toEqual([
    true,
    '(Of the output of a tool in b2.txt, 100000 of 200000 bytes were taken in.)'.padStart(84, 'x').replace(/x\(/, ' ('),
  ]);
});

test('leaves the folder of the session by no name and no link, and names what is missing', async () => {
  const folder = join(claude, 'projects/p/s/tool-results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(claude, 'secret.txt'), 'SECRET');
  symlinkSync(join(claude, 'secret.txt'), join(folder, 'linked.txt'));
  const lines = [];
  for (const pointer of ['/x/linked.txt', '../../../../secret.txt', '/etc/..', 'none.txt'])
    lines.push(await resultWith(pointer));
  rmSync(folder, { recursive: true });
  mkdirSync(join(claude, 'elsewhere'));
  writeFileSync(join(claude, 'elsewhere/out.txt'), 'SECRET');
  symlinkSync(join(claude, 'elsewhere'), folder);
  lines.push(await resultWith('/x/out.txt'));

  expect(
    lines.map((text) => [text.includes('SECRET'), /\(The full output of a tool is missing: [^)]*\)$/.exec(text)?.[0]]),
  ).toEqual(
    ['linked.txt', 'secret.txt', '..', 'none.txt', 'out.txt'].map((name) => [
      false,
      `(The full output of a tool is missing: ${name}.)`,
    ]),
  );
});

test('a session that grew after its agent removed the output is extended, not doubled', async () => {
  const path = '/c/projects/p/s.jsonl';
  const begun = session('/x/b1.txt') + line('e', 'd', 'user', 'Once more') + line('f', 'e', 'assistant', 'Again.');
  const files = { [path]: begun, '/c/projects/p/s/tool-results/b1.txt': 'the whole output' };
  const world = await importWorld(new MemoryFiles(files));
  const places = placesWith({ claude: '/c' });
  await world.importer.run((await world.importer.scan(places)).sessions);
  const grown = begun + line('g', 'f', 'user', 'And then?') + line('h', 'g', 'assistant', 'Nothing.');
  const later = await importWorld(new MemoryFiles({ [path]: grown }), undefined, world);
  const { counts } = await later.importer.run((await later.importer.scan(places)).sessions);

  expect({ extended: counts.extended, branched: counts.branched }).toEqual({ extended: 1, branched: 0 });
  expect(storedOutline(world).join('\n')).toContain('the whole output');
});
