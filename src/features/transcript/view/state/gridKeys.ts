import type { TranscriptController } from './transcriptController';

/** Handles keys in the list when a row itself has the focus. Keys inside a row's content are left alone. */
export function gridKey(event: KeyboardEvent, scroller: HTMLElement | null, transcript: TranscriptController): void {
  const rows = [...(scroller?.querySelectorAll<HTMLElement>('[role=row][data-uid]') ?? [])];
  const at = rows.findIndex((row) => row === event.target);
  const row = rows[at];
  const uid = row?.dataset['uid'];
  if (row === undefined || uid === undefined) return;
  if (moves(event, rows, at, transcript) || acts(event, row, uid, transcript)) event.preventDefault();
}

function moves(
  event: KeyboardEvent,
  rows: readonly HTMLElement[],
  at: number,
  { actions }: TranscriptController,
): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key];
  const uid = next?.dataset['uid'];
  if (next === undefined || uid === undefined) return false;
  // Before focusing: a row that gets the focus becomes the only selected one unless it is selected already.
  if (event.shiftKey) actions.extend(uid);
  else actions.select(uid);
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Returns true when the key was handled. */
function acts(
  event: KeyboardEvent,
  row: HTMLElement,
  uid: string,
  { actions, rows, origin }: TranscriptController,
): boolean {
  const isCommand = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (event.altKey) return false;
  if (isCommand && key === 'a') actions.selectAll();
  else if (isCommand && key === 'c' && (getSelection()?.toString() ?? '') === '') actions.copy('markdown', uid);
  else if (isCommand && key === 'enter' && origin.peek()?.file === null)
    actions.openInChat(rows.peek().find(({ message }) => message.uid === uid)?.message ?? null);
  else if (isCommand) return false;
  else if (key === 'enter') void actions.toggleRaw(uid);
  else if (key === 'escape' && actions.selectedCount.peek() > 1) actions.selectNothing();
  else if (key === 'contextmenu' || (event.shiftKey && key === 'f10')) {
    const { left, top } = row.getBoundingClientRect();
    actions.menu.value = { uid, x: left + 40, y: Math.max(0, top) + 24 };
  } else return false;
  return true;
}
