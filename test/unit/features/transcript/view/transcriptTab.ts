import { createElement } from 'preact';
import { act } from 'preact/test-utils';
import * as v from 'valibot';
import { rawRow, revisionsWithDiffs } from '../../../../../src/features/transcript/host/storedRowText';
import { TranscriptReader } from '../../../../../src/features/transcript/host/transcriptReader';
import {
  transcriptRequests,
  type RowFilter,
  type TranscriptNotifications,
  type TranscriptProtocol,
  type TranscriptState,
} from '../../../../../src/features/transcript/protocol/transcriptProtocol';
import type { Message } from '../../../../../src/transcript/message';
import { connectToHost } from '../../../../../src/webview/rpc';
import { ViewPage } from '../../../webview/viewPage';
import { TranscriptApp } from '../../../../../src/features/transcript/view/components/TranscriptApp';
import {
  TranscriptController,
  type TranscriptMemory,
} from '../../../../../src/features/transcript/view/state/transcriptController';
import { StoredTranscript } from '../../../../support/builders/storedTranscript';
import { transcriptState } from '../../../../support/builders/transcriptState';
import { answer, call, prompt, result, session, settledTurn } from '../../../../support/builders/viewMessages';
import { all, find } from '../../../webview/elements';

export const rows: readonly Message[] = [
  prompt({ uid: 'u1', position: 1 }, 'Why **this**?'),
  answer({ uid: 'a1', position: 2 }, [call('c1', 'read_file', { path: 'a.ts' })]),
  result({ uid: 'r1', position: 3 }, 'c1', 'read_file', 'gone', 'failed'),
  answer({ uid: 'h1', position: 4, visibility: { kind: 'hidden', reason: 'retried', absorbedInto: null } }, [
    'first try',
  ]),
  answer({ uid: 'a2', position: 5 }, ['**Because**']),
  answer({ uid: 'k1', position: 6, turnUid: 'turn2', visibility: { kind: 'closing' } }, ['(stopped)']),
];

const turns = [settledTurn(), settledTurn('turn2', 'u2', { outcome: 'interrupted', stopReason: 'user' })];
export const everything: RowFilter = { role: null, state: null, hidden: false };

export function storedRows(messages: readonly Message[] = rows): StoredTranscript {
  const stored = new StoredTranscript(messages, new Map([[session().id, session()]]));
  stored.turns = turns;
  return stored;
}

/** `count` prompts, one a turn, with nothing between. */
export function long(count: number): StoredTranscript {
  const stored = storedRows(
    Array.from({ length: count }, (_, index) =>
      prompt({ uid: `m${index}`, position: index + 1, turnUid: `turn${index}` }, `prompt number ${index}`),
    ),
  );
  stored.turns = stored.messages.map(({ uid, turnUid }) => settledTurn(turnUid ?? '', uid));
  return stored;
}

/** The tab's page with a host that reads stored rows as the real one does. */
export class Tab extends ViewPage {
  kept: TranscriptMemory | null = null;
  /** A sentence: every request is refused with it. */
  refusal: string | null = null;
  private readonly reader: TranscriptReader;

  constructor(
    readonly stored: StoredTranscript = storedRows(),
    recalled: TranscriptMemory | null = null,
  ) {
    super();
    this.reader = new TranscriptReader(stored);
    const transcript = new TranscriptController(
      connectToHost<TranscriptProtocol>(this.api, this.channel),
      { getState: () => recalled, setState: (memory) => (this.kept = memory as TranscriptMemory) },
      () => 0,
    );
    this.show(createElement(TranscriptApp, { transcript }));
    transcript.start();
  }

  /** What the host says when the page is there: the newest rows, or those around a row. */
  async bootstrap(change: Partial<TranscriptState> = {}, around: string | null = null, limit = 200): Promise<void> {
    const wanted = around === null ? { kind: 'end' as const } : { kind: 'around' as const, messageUid: around };
    const read = await this.reader.rows(
      session().id,
      wanted,
      limit,
      this.kept === null ? everything : { role: this.kept.role, state: this.kept.state, hidden: this.kept.showHidden },
    );
    await this.tell('bootstrap', { ...transcriptState({}, change), rows: read });
  }

  async tell<Name extends keyof TranscriptNotifications>(
    name: Name,
    payload: TranscriptNotifications[Name],
  ): Promise<void> {
    await this.acting(() => this.dispatch({ kind: 'notification', name, payload }));
  }

  /** Called when rows changed on disk. */
  async changed(): Promise<void> {
    this.reader.outlines.forget();
    await this.tell('changed', { sessionId: session().id });
  }

  async select(uid: string): Promise<void> {
    await act(() => rowOf(uid)?.focus());
  }

  /** Presses a key. Returns the row that has the focus then. */
  async walk(key: string, held: KeyboardEventInit = {}): Promise<string | undefined> {
    await this.key(key, held);
    return focusedUid();
  }

  async choose(state: string): Promise<void> {
    const list = document.querySelector('select');
    if (list === null) throw new Error('There is no list of states');
    await this.acting(() => {
      list.value = state;
      list.dispatchEvent(new Event('change', { bubbles: true }));
    });
  }

  async look(text: string): Promise<void> {
    const field = find('textbox', 'Find');
    await this.fill(field, text);
    field.focus();
  }

  protected override follows(): Promise<void> {
    return pause();
  }

  protected override receive(message: Parameters<ViewPage['receive']>[0]): void {
    super.receive(message);
    const { kind, id, name, payload } = message;
    if (kind !== 'request') return;
    const asked = this.refusal === null ? this.resultOf(name, payload) : Promise.reject(new Error(this.refusal));
    void asked.then(
      (result) => this.dispatch({ kind: 'response', id, ok: true, result }),
      (error: unknown) =>
        this.dispatch({
          kind: 'response',
          id,
          ok: false,
          error: { sentence: error instanceof Error ? error.message : '', cause: 'unknown' },
        }),
    );
  }

  private async resultOf(name: string, payload: unknown): Promise<unknown> {
    if (name === 'loadRows') {
      const { sessionId, wanted, limit, filter } = v.parse(transcriptRequests.loadRows, payload);
      return this.reader.rows(sessionId, wanted, limit, filter);
    }
    if (name === 'findRows') {
      const query = v.parse(transcriptRequests.findRows, payload);
      return this.reader.find(query, (done, total) =>
        this.dispatch({ kind: 'notification', name: 'findProgress', payload: { search: query.search, done, total } }),
      );
    }
    const { messageUid } = v.parse(transcriptRequests.rawRow, payload);
    return name === 'rawRow' ? rawRow(this.stored, messageUid) : revisionsWithDiffs(this.stored, messageUid);
  }
}

/** The tab of these rows, as the host shows it first. */
export async function openTab(stored = storedRows()): Promise<Tab> {
  const tab = new Tab(stored);
  await tab.bootstrap();
  return tab;
}

export const focusedUid = (): string | undefined =>
  document.activeElement instanceof HTMLElement ? document.activeElement.dataset['uid'] : undefined;
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
export const rowOf = (uid: string): HTMLElement | undefined => all('row').find((row) => row.dataset['uid'] === uid);
export const uids = (): readonly (string | undefined)[] => all('row').flatMap((row) => row.dataset['uid'] ?? []);
export const borders = (): readonly string[] =>
  [...document.querySelectorAll('.border')].map((border) => border.textContent ?? '');

export const shownRows = (): readonly (readonly (string | undefined)[])[] =>
  all('row')
    .filter((row) => row.dataset['uid'] !== undefined)
    .map((row) => [
      row.dataset['uid'],
      ...['.cell-number', '.cell-role', '.cell-state'].map((cell) => row.querySelector(cell)?.textContent ?? ''),
    ]);
