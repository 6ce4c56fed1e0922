import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportOptions } from '../../../../../../src/features/history/core/export/output/exportOptions';
import { exportFile, type ExportRequest } from '../../../../../../src/features/history/core/export/exportFile';
import { storeOfExport } from '../../../../../../src/features/history/core/import/exportImport';
import {
  answer,
  answered,
  call,
  complete,
  openTurn,
  result,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../../../../support/sessionDbWorld';
import { backupWorld, type BackupWorld } from '../../../backup/core/backupWorld';

const key = `ghp_${'a1B2'.repeat(9)}`;
let disk: BackupWorld;
let world: SessionDbWorld;
beforeEach(async () => {
  disk = await backupWorld();
  world = await sessionDbWorld();
  world.db.createSession({ id: 's1', startedAt: 1 });
  openTurn(world.db, { turnUid: 't1', text: `<script>alert("1")</script> ${key}` });
  world.db.putMessages([answer('m1', [{ kind: 'thinking', text: 'a thought' }, call('c1')], 't1')]);
  world.db.putMessages([result('r1', 'c1', 'file <b>content</b>', 't1')]);
  settle(world.db, 't1', complete, [
    answer('a1', '**Bold** <img src=x onerror=alert(2)> [go](javascript:alert) ![x](https://example.org/x.png)', 't1'),
  ]);
  world.db.createSession({ id: 's2', startedAt: 2 });
  answered(world.db, 't2', 'second', { sessionId: 's2' });
});
afterEach(() => disk.remove());

const nothing = { toolOutput: false, thinking: false, images: false, hidden: true };

async function exported(over: Partial<ExportRequest> = {}, options = exportOptions(() => 1000)) {
  const path = join(disk.root, 'out');
  const request: ExportRequest = {
    format: 'json',
    scope: { kind: 'all' },
    path,
    leftOut: nothing,
    masksSecrets: true,
    language: 'en',
    ...over,
  };
  const made = await exportFile(world.database, disk.deps, request, options);
  return { ...made, path, text: readFileSync(path, 'utf8') };
}

const stopped = () => exportOptions(() => 1, AbortSignal.abort(new Error('stopped')));

describe('an export', () => {
  it('is JSON that masks and counts secrets, and says that it is not lossless', async () => {
    const { text, maskedSecrets, sessions } = await exported();
    const whole: unknown = JSON.parse(text);
    expect(whole).toMatchObject({ format: 'hermes-sessions', version: 1, lossless: false, maskedSecrets });
    expect({ sessions, hasKey: text.includes(key), isMasked: maskedSecrets > 0 }).toEqual({
      sessions: 2,
      hasKey: false,
      isMasked: true,
    });
  });

  it('keeps secrets when asked to', async () => {
    const { text, maskedSecrets } = await exported({ masksSecrets: false });
    expect([text.includes(key), maskedSecrets, text.includes('"lossless":true')]).toEqual([true, 0, true]);
  });

  it('holds only the sessions that were chosen', async () => {
    const { text, sessions } = await exported({ scope: { kind: 'sessions', ids: ['s2'] } });
    expect([sessions, text.includes('"uid":"u-t1"'), text.includes('"uid":"u-t2"')]).toEqual([1, false, true]);
    await expect(exported({ scope: { kind: 'sessions', ids: ['none'] } })).rejects.toThrow('none');
  });

  it('is one conversation per line for OpenAI, with calls before their results', async () => {
    const { text } = await exported({ format: 'openai', scope: { kind: 'sessions', ids: ['s1'] } });
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toMatchObject([
      {
        id: 's1',
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: null,
            reasoning_content: 'a thought',
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'file <b>content</b>' },
          { role: 'assistant' },
        ],
      },
    ]);
  });

  it('leaves out tool output and thinking when asked to', async () => {
    const { text } = await exported({ format: 'openai', leftOut: { ...nothing, toolOutput: true, thinking: true } });
    expect([text.includes('a thought'), text.includes('content</b>'), text.includes('"tool_call_id":"c1"')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('is HTML without scripts, handlers, foreign addresses or elements of the texts', async () => {
    const { text } = await exported({ format: 'html' });
    const elements = new Set([...text.matchAll(/<([a-z0-9]+)/gi)].map(([, name = '']) => name.toLowerCase()));
    expect([...elements].sort().join(' ')).toBe(
      'a article body details h1 h2 head html meta p pre section strong style summary title',
    );
    expect(text).not.toMatch(/<[^>]*\son\w+=|href="javascript|src="http/i);
    expect(text).toContain('&lt;script&gt;');
  });

  it('is Markdown with all conversations', async () => {
    const { text } = await exported({ format: 'markdown' });
    expect([text.includes('Session: s1'), text.includes('Session: s2'), text.includes(key)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('leaves the earlier file as it was when it is stopped', async () => {
    const path = join(disk.root, 'out');
    writeFileSync(path, 'earlier');
    await expect(exported({ format: 'openai' }, stopped())).rejects.toThrow('stopped');
    expect([readFileSync(path, 'utf8'), readdirSync(disk.root).filter((name) => name.startsWith('out'))]).toEqual([
      'earlier',
      ['out'],
    ]);
  });
});

describe('a file that is read back', () => {
  it('is refused when it is cut off, or lacks a row', async () => {
    const { path, text } = await exported({ masksSecrets: false });
    const lines = text.split('\n');
    for (const damaged of [lines.slice(0, -3).join('\n'), lines.filter((_, index) => index !== 4).join('\n')]) {
      writeFileSync(path, damaged);
      expect(() => storeOfExport(disk.deps, path)).toThrow('not a whole export');
    }
  });
});

it('that is stopped leaves the file that it would replace', async () => {
  const { path, text } = await exported();
  await expect(exported({ format: 'openai' }, stopped())).rejects.toThrow('stopped');
  expect(readFileSync(path, 'utf8') === text).toBe(true);
});

it('leaves only the temporary file when the process is killed, and the next export removes it', async () => {
  const path = join(disk.root, 'out');
  // Writes as `OutputFile` does, until it is killed.
  const { build } = await import('esbuild');
  const program = join(disk.root, 'writing.cjs');
  await build({
    stdin: {
      contents: `import { OutputFile } from './src/features/history/core/export/output/outputFile';
        import { NodeFileSystem } from './src/store/engine/nodeFileSystem';
        const output = new OutputFile(new NodeFileSystem(), ${JSON.stringify(path)});
        for (let row = 0; row < 20000; row++) output.write('a row of an export that is long enough to be written\\n');
        console.log('begun');
        setInterval(() => output.write('more\\n'), 1);`,
      resolveDir: resolve('.'),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    outfile: program,
  });
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect([existsSync(path), existsSync(`${path}.unfinished`)]).toEqual([false, true]);
  const { text } = await exported();
  expect([typeof JSON.parse(text), existsSync(`${path}.unfinished`)]).toEqual(['object', false]);
});
