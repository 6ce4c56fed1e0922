import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Uri } from 'vscode';
import { HistoryFile } from '../../../../../src/features/history/host/historyFile';
import type { Importer } from '../../../../../src/features/history/host/historyServices';
import { servicesOf } from './services';
import { progressAfterMs, type WorkNotice } from '../../../../../src/host/notifications/longWork';
import type { OpenedFile } from '../../../../../src/features/history/core/import/importing';
import { StoreError } from '../../../../../src/store/storeError';
import { ManualClock } from '../../../../support/manualClock';
import { settle } from '../../../host/recordingPort';

let copy: string;
let clock: ManualClock;
beforeEach(() => {
  copy = join(mkdtempSync(join(tmpdir(), 'hermes-history-file-')), 'copy');
  clock = new ManualClock();
});
afterEach(() => rmSync(join(copy, '..'), { recursive: true, force: true }));

/** A reader that makes its copy at once, and ends each reading as the test says. */
class Reader {
  readonly endings: ((opened: OpenedFile) => void)[] = [];
  closed = 0;

  constructor(private readonly stops: boolean) {}

  readonly openFile: Importer['openFile'] = (_path, { signal } = {}) =>
    new Promise((resolve, reject) => {
      mkdirSync(copy, { recursive: true });
      this.endings.push(resolve);
      if (!this.stops) return;
      signal?.addEventListener('abort', () => {
        rmSync(copy, { recursive: true });
        reject(new StoreError('unknown', 'The thread says something about saving.', 'aborted'));
      });
    });

  close = async (): Promise<void> => void this.closed++;
}

function fileOver(reader: Reader) {
  const stops: (() => void)[] = [];
  const notice: WorkNotice = { show: (_title, _ended, stop) => void stops.push(stop) };
  const startWorker = (): never => {
    throw new Error('No copy is opened here.');
  };
  const uri = { scheme: 'file', fsPath: '/old.jsonl' } as Uri;
  const file = new HistoryFile(
    uri,
    servicesOf({ openImporter: () => reader as unknown as Importer, startWorker, notice, clock }),
  );
  const stop = async (): Promise<void> => {
    await clock.advance(progressAfterMs);
    stops.pop()?.();
  };
  return { file, stop };
}

it('a long reading can be stopped, and the next request reads again', async () => {
  const reader = new Reader(true);
  const { file, stop } = fileOver(reader);
  const reading = expect(file.read()).rejects.toThrow('Reading was canceled.');
  const same = expect(file.read()).rejects.toThrow('Reading was canceled.');
  await stop();
  await Promise.all([reading, same]);
  const again = expect(file.read()).rejects.toThrow('Reading was canceled.');
  await stop();
  await again;
  expect([reader.endings.length, reader.closed, existsSync(copy)]).toEqual([2, 2, false]);
});

it('a copy that was made before a stop reached the thread is removed', async () => {
  const reader = new Reader(false);
  const { file, stop } = fileOver(reader);
  const reading = expect(file.read()).rejects.toThrow('Reading was canceled.');
  await stop();
  reader.endings[0]?.({ folder: copy, kind: 'foreign', conversations: [] });
  await reading;
  expect([existsSync(copy), reader.closed]).toEqual([false, 1]);
});

it('a file without a session is refused, and its copy is removed', async () => {
  const reader = new Reader(false);
  const { file } = fileOver(reader);
  const reading = expect(file.read()).rejects.toThrow('No sessions were found there.');
  await settle();
  reader.endings[0]?.({ folder: copy, kind: 'own', conversations: [] });
  await reading;
  expect(existsSync(copy)).toBe(false);
});

it('a copy that cannot be opened is removed', async () => {
  const reader = new Reader(false);
  const { file } = fileOver(reader);
  const reading = expect(file.read()).rejects.toThrow('No copy is opened here.');
  await settle();
  const conversation = { sessionIds: ['s1'], newestId: 's1', title: null, lastActiveAt: 1, messages: 1 };
  reader.endings[0]?.({ folder: copy, kind: 'own', conversations: [conversation] });
  await reading;
  expect(existsSync(copy)).toBe(false);
});

it('a tab that is closed stops the reading', async () => {
  const reader = new Reader(true);
  const { file } = fileOver(reader);
  const reading = expect(file.read()).rejects.toMatchObject({ name: 'AbortError' });
  await settle();
  file.dispose();
  await reading;
  await vi.waitFor(() => expect([existsSync(copy), reader.closed]).toEqual([false, 1]));
});
