import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { RowForm, RowRevision } from '../../protocol/transcriptProtocol';
import type { Message } from '../../../../transcript/message';
import type { TranscriptController } from './transcriptController';

const nothingSelected: RowSelection = { from: null, current: null, uids: new Set(), all: false };

/** A row as stored in the file: being read, gone, or JSON. */
export type RawRow =
  { readonly kind: 'reading' } | { readonly kind: 'gone' } | { readonly kind: 'read'; readonly json: string };

/** Position of a row's open menu, in pixels of the page. */
interface OpenMenu {
  readonly uid: string;
  readonly x: number;
  readonly y: number;
}

/** Actions on rows: select, copy, inspect, branch and rewind. */
export class RowActions {
  readonly selection = signal<RowSelection>(nothingSelected);
  readonly menu = signal<OpenMenu | null>(null);
  /** Earlier content of rewritten rows, as far as the user asked for it. */
  readonly revisions = signal<ReadonlyMap<string, readonly RowRevision[]>>(new Map());
  readonly rawRows = signal<ReadonlyMap<string, RawRow>>(new Map());
  readonly selectedCount: ReadonlySignal<number>;
  /** The selected row, if it is loaded. */
  readonly selectedMessage: ReadonlySignal<Message | null>;

  constructor(private readonly transcript: TranscriptController) {
    this.selectedCount = computed(() =>
      this.selection.value.all ? (transcript.stored.value?.matching ?? 0) : this.selection.value.uids.size,
    );
    this.selectedMessage = computed(() => {
      const { uids, current, all } = this.selection.value;
      return all || uids.size !== 1
        ? null
        : (transcript.stored.value?.messages.find(({ uid }) => uid === current) ?? null);
    });
  }

  isSelected(uid: string): boolean {
    const { uids, all } = this.selection.peek();
    return all || uids.has(uid);
  }

  select(uid: string): void {
    const { current, uids, all } = this.selection.peek();
    if (current !== uid || uids.size !== 1 || all) this.selection.value = selectOne(uid);
  }

  /** Selects from where the selection began to `uid`, in the order of the loaded rows. */
  extend(uid: string): void {
    const rows = this.loadedUids();
    const from = this.selection.peek().from ?? uid;
    const [a, b] = [rows.indexOf(from), rows.indexOf(uid)];
    if (b === -1) return;
    this.selection.value =
      a === -1
        ? selectOne(uid)
        : { from, current: uid, uids: new Set(rows.slice(Math.min(a, b), Math.max(a, b) + 1)), all: false };
  }

  /** Adds the row, or removes it if it was selected. */
  toggle(uid: string): void {
    const uids = new Set(this.selection.peek().uids);
    if (!uids.delete(uid)) uids.add(uid);
    this.selection.value = { from: uid, current: uid, uids, all: false };
  }

  selectAll(): void {
    this.selection.value = { ...this.selection.peek(), uids: new Set(this.loadedUids()), all: true };
  }

  selectNothing(): void {
    const { current } = this.selection.peek();
    this.selection.value = current === null ? nothingSelected : selectOne(current);
  }

  /** Copies the selected rows. `uid`: copies this row alone, unless it is one of several selected rows. */
  copy(form: RowForm, uid: string | null = null): void {
    const { uids, all } = this.selection.peek();
    const sessionId = this.transcript.session.peek()?.id;
    if (sessionId === undefined) return;
    const isAlone = uid !== null && !all && !uids.has(uid);
    const wanted = isAlone ? [uid] : all ? null : [...uids];
    if (wanted?.length === 0) return;
    this.transcript.host.send('copyRows', { sessionId, uids: wanted, filter: this.transcript.filter.peek(), form });
  }

  /** Opens the chat at the row, if the chat shows it. */
  openInChat(message: Message | null = this.selectedMessage.peek()): void {
    this.transcript.host.send('openInChat', { messageUid: message?.visibility.kind === 'shown' ? message.uid : null });
  }

  branchFrom(message: Message | null = this.selectedMessage.peek()): void {
    if (message !== null) this.transcript.host.send('branchFrom', { messageUid: message.uid });
  }

  rewindTo(message: Message | null = this.selectedMessage.peek()): void {
    if (message !== null) this.transcript.host.send('rewindTo', { messageUid: message.uid });
  }

  async showRevisions(uid: string): Promise<void> {
    const revisions = await this.transcript.asked(this.transcript.host.request('revisions', { messageUid: uid }));
    if (revisions !== null) this.revisions.value = new Map([...this.revisions.peek(), [uid, revisions]]);
  }

  /** Opens the raw row, or closes it. */
  async toggleRaw(uid: string): Promise<void> {
    if (this.rawRows.peek().has(uid)) this.setRaw(uid, null);
    else {
      this.setRaw(uid, { kind: 'reading' });
      await this.readRaw(uid);
    }
  }

  /** Reads the open raw rows again after rows changed on disk. */
  async readAgain(): Promise<void> {
    await Promise.all([...this.rawRows.peek().keys()].map((uid) => this.readRaw(uid)));
  }

  startOver(): void {
    this.selection.value = nothingSelected;
    this.menu.value = null;
    this.revisions.value = new Map();
    this.rawRows.value = new Map();
  }

  private async readRaw(uid: string): Promise<void> {
    const json = await this.transcript.asked(this.transcript.host.request('rawRow', { messageUid: uid }));
    if (this.rawRows.peek().has(uid)) this.setRaw(uid, json === null ? { kind: 'gone' } : { kind: 'read', json });
  }

  private setRaw(uid: string, row: RawRow | null): void {
    const rows = new Map(this.rawRows.peek());
    if (row === null) rows.delete(uid);
    else rows.set(uid, row);
    this.rawRows.value = rows;
  }

  private loadedUids(): readonly string[] {
    return this.transcript.rows.peek().map(({ message }) => message.uid);
  }
}

/** Selected rows, and the row where the selection began. all: every row that passes the filter, loaded or not. */
interface RowSelection {
  readonly from: string | null;
  /** The focused row, from which keys move. */
  readonly current: string | null;
  readonly uids: ReadonlySet<string>;
  readonly all: boolean;
}

/** Selects one row, as a click or an arrow key does. Pure. */
function selectOne(uid: string): RowSelection {
  return { from: uid, current: uid, uids: new Set([uid]), all: false };
}
