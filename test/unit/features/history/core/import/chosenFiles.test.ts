import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportsAmong } from '../../../../../../src/features/history/core/sources/hermesExport/exportReading';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { importWorld } from '../../../../../support/history/importWorld';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { otherSqlite } from '../../../../../support/otherSqlite';
import { fixtures } from '../../../../../support/history/readHistory';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-chosen-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Files of agents under names that say nothing. */
const samples: { readonly [name: string]: string } = {
  'a.txt': 'claudeCode/projects/-home-demo-project/11111111-2222-4333-8444-555555555555.jsonl',
  'b.txt': 'codex/sessions/2026/11/25/rollout-2026-11-25T03-36-52-01a210c7-149e-7340-8d7a-e40748d867f4.jsonl',
  'c.txt': 'codex/sessions/2025/08/18/rollout-2025-08-18T01-16-13-bare.jsonl',
  'd.txt': 'codex/sessions/2025/11/01/rollout-2025-11-01T13-00-00-packed.jsonl.zst',
  'e.txt': 'hermes/profiles/work/state.db',
  'f.txt': 'pi/sessions/--home-demo-project--/2026-11-25T03-38-09-782Z_01a210c8-43ec-73cf-8523-970260993f9d.jsonl',
  'g.txt': 'vscodeChat/User/workspaceStorage/0a1b2c/chatSessions/flat-1.json',
  'h.txt': 'vscodeChat/User/workspaceStorage/0a1b2c/chatSessions/journal-1.jsonl',
  'i.txt': 'chatFiles/one.json',
  'j.txt': 'chatFiles/trajectories.jsonl',
  'k.txt': 'hermes/profiles/other/state.db',
};

test('recognizes a chosen file by its content, and imports it', async () => {
  for (const [name, sample] of Object.entries(samples)) copyFileSync(`${fixtures}/${sample}`, join(folder, name));
  writeFileSync(join(folder, 'l.txt'), 'Dear diary, today I wrote no JSON.');
  writeFileSync(join(folder, 'm.txt'), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(folder, 'n.txt'), '');
  const names = [...Object.keys(samples), 'l.txt', 'm.txt', 'n.txt'];
  const world = await importWorld();
  const chosen = names.map((name) => join(folder, name));
  const { sessions, skipped, problems } = await world.importer.scan({ chosen });
  const { counts, records } = await world.importer.run(sessions);
  const at = (path: string): string => path.slice(folder.length + 1);

  expect({
    found: sessions.map(({ source, location }) => `${at(location.path)}: ${source}`),
    skipped: skipped.map(({ place, reason }) => `${at(place.path)}: ${reason}`),
    problems,
  }).toMatchInlineSnapshot(`
    {
      "found": [
        "a.txt: claudeCode",
        "b.txt: codex",
        "c.txt: codex",
        "d.txt: codex",
        "e.txt: hermes",
        "f.txt: pi",
        "g.txt: vscodeChat",
        "h.txt: vscodeChat",
        "i.txt: openai",
        "j.txt: shareGpt",
        "j.txt: openai",
      ],
      "problems": [],
      "skipped": [
        "j.txt: It holds no conversation.",
        "j.txt: The record is cut off or is not a JSON object.",
        "k.txt: The database is of no agent whose sessions can be imported.",
        "l.txt: It holds no session in a format that can be read: Claude Code, Codex, Hermes Agent, opencode, pi, Chat file, ShareGPT file, Cline, Roo Code, Kilo Code, VS Code Chat, Gemini CLI, Qwen Code, ChatGPT, claude.ai.",
        "m.txt: It holds no session in a format that can be read: Claude Code, Codex, Hermes Agent, opencode, pi, Chat file, ShareGPT file, Cline, Roo Code, Kilo Code, VS Code Chat, Gemini CLI, Qwen Code, ChatGPT, claude.ai.",
        "n.txt: It holds no session in a format that can be read: Claude Code, Codex, Hermes Agent, opencode, pi, Chat file, ShareGPT file, Cline, Roo Code, Kilo Code, VS Code Chat, Gemini CLI, Qwen Code, ChatGPT, claude.ai.",
      ],
    }
  `);
  expect({ failed: counts.failed, balance: records.in - records.imported - records.skipped }).toEqual({
    failed: 0,
    balance: 0,
  });
});

test('says why a file cannot be read, also one that could be read when it was found', async () => {
  let isReadable = true;
  class LockableFiles extends MemoryFiles {
    override read(path: string): AsyncGenerator<Uint8Array> {
      if (!isReadable) throw new Error('EACCES: permission denied.');
      return super.read(path);
    }
  }
  const files = new LockableFiles({ '/chat.json': '[{"role":"user","content":"Hello"}]' });
  const { importer } = await importWorld(files);
  const { sessions } = await importer.scan({ chosen: ['/chat.json'] });
  isReadable = false;
  const { entries } = await importer.run(sessions);
  const { problems, skipped } = await importer.scan({ chosen: ['/chat.json'] });

  expect({ entries: entries.map(({ outcome, reason }) => `${outcome}: ${reason}`), problems, skipped }).toEqual({
    entries: ['failed: It couldn’t be read: EACCES: permission denied.'],
    problems: [{ source: 'openai', reason: 'It couldn’t be read: EACCES: permission denied.' }],
    skipped: [],
  });
});

test('looks in a chosen folder for files of agents', async () => {
  copyFileSync(`${fixtures}/hermes/profiles/work/state.db`, join(folder, 'state.db'));
  writeFileSync(join(folder, 'notes.md'), readFileSync(`${fixtures}/chatFiles/one.json`));
  const world = await importWorld();
  const { sessions, skipped } = await world.importer.scan({ chosen: [folder] });

  expect({ sources: sessions.map(({ source }) => source), skipped }).toEqual({ sources: ['hermes'], skipped: [] });
});

test('does not take one of our own stores for a database of another agent', async () => {
  otherSqlite(
    join(folder, 'ours.db'),
    'CREATE TABLE sessions (id TEXT); CREATE TABLE messages (uid TEXT, session_id TEXT); CREATE TABLE stream_chunks (message_uid TEXT, seq INTEGER)',
  );
  const world = await importWorld();
  const { sessions, skipped } = await world.importer.scan({ chosen: [folder] });
  expect([sessions, skipped.map(({ reason }) => reason)]).toEqual([
    [],
    ['These sessions are from Hermes in VS Code. Use Show Sessions of Other Folders to read or copy them.'],
  ]);
});

test('finds our own exports in chosen files and folders, and leaves them out of what other readers get', async () => {
  const exported = '{"format":"hermes-sessions","version":1,"rows":[\n]}';
  for (const path of ['mixed/deep', 'only', 'none']) mkdirSync(join(folder, path), { recursive: true });
  for (const path of ['named', 'mixed/deep/a.json', 'only/b.json', 'only/notes.md'])
    writeFileSync(join(folder, path), exported);
  copyFileSync(`${fixtures}/chatFiles/one.json`, join(folder, 'mixed/chat.json'));
  const chosen = ['named', 'mixed', 'only', 'none', 'missing'].map((name) => join(folder, name));
  const { exports, others } = await exportsAmong(new NodeHistoryFiles(), chosen);
  const world = await importWorld();
  const { sessions, skipped } = await world.importer.scan({ chosen: others });
  expect({
    exports: exports.map((path) => path.slice(folder.length + 1)),
    others: others.map((path) => path.slice(folder.length + 1)),
    sources: new Set(sessions.map(({ source }) => source)),
    skipped: skipped.filter(({ place }) => place.path.endsWith('.json')),
  }).toEqual({
    exports: ['named', 'mixed/deep/a.json', 'only/b.json'],
    others: ['mixed', 'none', 'missing'],
    sources: new Set(['openai']),
    skipped: [],
  });
});
