import * as vscode from 'vscode';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { t } from '../../base/translate';
import type { SessionStore } from '../../store/session/sessionStore';
import type { SearchHit, SessionQuery } from '../../store/requests';
import type { SessionSummary } from '../../transcript/session';
import { ageLabels, factsOf, titleText } from './sessionLabels';
import { describeError } from '../common/describeError';

const sessionLimit = 200;
const hitLimit = 30;
/** Shortest text that is searched in messages: one or two letters match nearly everything. */
const shortestSearch = 3;
const typingPauseMs = 150;

export interface SessionPick {
  readonly sessionId: string;
  /** Message that was found. Null: the session itself was chosen. */
  readonly messageUid: string | null;
}

export interface SessionPickerOptions {
  readonly title: string;
  readonly gateway: GatewayPart<'store', 'listSessions'>;
  /** Searches the text of all messages too. Null: does not. */
  readonly search: SessionStore['search'] | null;
  /** State of the sessions offered. Default: active ones. */
  readonly state?: SessionQuery['state'];
  /** Session that is marked as shown now. */
  readonly current: string | null;
  readonly now: () => number;
  readonly openTranscript: (pick: SessionPick) => void;
  /** Opens the picker for sessions of other folders. Null: only a session of this folder qualifies. */
  readonly showOthers: (() => void) | null;
}

interface SessionItem extends vscode.QuickPickItem {
  readonly pick: SessionPick | null;
  readonly leadsToOthers?: true;
}

const transcriptButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('list-flat'),
  tooltip: t('Open Transcript'),
});

/** Lets the user choose a stored session, newest first. Searches typed text in titles and first prompts and, with
 *  `search`, in every message. Resolves with null when the user cancels. */
export function pickSession(options: SessionPickerOptions): Promise<SessionPick | null> {
  const picker = vscode.window.createQuickPick<SessionItem>();
  picker.title = options.title;
  picker.placeholder =
    options.search === null
      ? t('Search titles and first prompts')
      : t('Search titles, first prompts, and all messages');

  let typing = new AbortController();
  /** Text for which the current items were found. Null: there are no items yet. */
  let listedFor: string | null = null;
  const list = async (text: string): Promise<void> => {
    typing.abort();
    typing = new AbortController();
    const { signal } = typing;
    picker.busy = true;
    const items = await itemsFor(options, text, signal).catch((error: unknown) => [
      note(describeError(error).sentence),
    ]);
    if (signal.aborted) return;
    picker.busy = false;
    picker.items = items;
    listedFor = text;
  };

  return new Promise((resolve) => {
    let pause: NodeJS.Timeout | undefined;
    const choose = (pick: SessionPick): void => {
      resolve(pick);
      picker.hide();
    };
    /** Waits for the list when Enter came before it caught up with the typed text, then chooses its first item. */
    const chooseFirstFound = async (text: string): Promise<void> => {
      clearTimeout(pause);
      await list(text);
      const pick =
        listedFor === text && picker.value.trim() === text
          ? picker.items.find((item) => item.pick !== null)?.pick
          : null;
      if (pick !== null && pick !== undefined) choose(pick);
    };
    picker.onDidChangeValue((text) => {
      clearTimeout(pause);
      pause = setTimeout(() => void list(text.trim()), typingPauseMs);
    });
    picker.onDidTriggerItemButton(({ item }) => {
      if (item.pick !== null) options.openTranscript(item.pick);
    });
    picker.onDidAccept(() => {
      const text = picker.value.trim();
      const [item] = picker.selectedItems;
      // The selected item may also belong to the previous list.
      if (text !== listedFor || (item !== undefined && !picker.items.includes(item)))
        return void chooseFirstFound(text);
      if (item?.leadsToOthers === true) {
        picker.hide();
        return options.showOthers?.();
      }
      const chosen = item?.pick ?? null;
      if (chosen !== null) choose(chosen);
    });
    picker.onDidHide(() => {
      clearTimeout(pause);
      typing.abort();
      resolve(null);
      picker.dispose();
    });
    picker.show();
    void list('');
  });
}

async function itemsFor(options: SessionPickerOptions, text: string, signal: AbortSignal): Promise<SessionItem[]> {
  const { gateway, search, state = 'active', now } = options;
  const [sessions, found] = await Promise.all([
    gateway.store.listSessions({ state, limit: sessionLimit, ...(text === '' ? {} : { text }) }),
    search === null || text.length < shortestSearch ? [] : search({ text, limit: hitLimit, kind: 'words' }, signal),
  ]);
  const prompts = new Set(sessions.map((session) => firstPromptHit(session, found)));
  const hits = found.filter((hit) => !prompts.has(hit));
  const items = [
    ...sessions.map((session) => sessionItem(session, options)),
    ...(hits.length === 0 ? [] : [separator(t('Messages'))]),
    ...hits.map((hit) => hitItem(hit, now())),
  ];
  const nothing =
    items.length > 0 ? [] : [note(text === '' ? nothingFoundText(state) : t('Nothing found for “{text}”', { text }))];
  return [...items, ...nothing, ...(options.showOthers === null ? [] : [separator(), othersItem()])];
}

/** Finds the first prompt of a listed session among the hits: its row would only repeat the session's own. */
function firstPromptHit({ conversationId, preview }: SessionSummary, hits: readonly SearchHit[]): SearchHit | null {
  const [first] = hits
    .filter((hit) => hit.role === 'user' && hit.conversationId === conversationId)
    .sort((a, b) => a.createdAt - b.createdAt);
  if (first === undefined || preview === null) return null;
  return oneLine(preview).includes(oneLine(first.snippet.replace(/^…|…$/g, ''))) ? first : null;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function nothingFoundText(state: NonNullable<SessionQuery['state']>): string {
  switch (state) {
    case 'active':
      return t('No sessions yet in this folder');
    case 'archived':
      return t('No archived sessions');
    case 'trash':
      return t('The trash is empty');
    default:
      return state satisfies never;
  }
}

// Always show every item: the store has already matched it by its own rules.

function sessionItem(session: SessionSummary, { current, now }: SessionPickerOptions): SessionItem {
  const title = titleText(session);
  const facts = [...factsOf(session, now()), ...(session.id === current ? [t('open')] : [])];
  return {
    label: title,
    description: facts.join(' · '),
    ...(session.preview !== null && session.preview !== title ? { detail: session.preview } : {}),
    iconPath: new vscode.ThemeIcon(session.pinned ? 'pinned' : session.branchOf === null ? 'comment' : 'git-branch'),
    buttons: [transcriptButton()],
    alwaysShow: true,
    pick: { sessionId: session.id, messageUid: null },
  };
}

function hitItem(hit: SearchHit, now: number): SessionItem {
  const who = hit.role === 'user' ? t('You') : hit.role === 'assistant' ? t('Hermes') : t('Tool');
  return {
    label: hit.sessionTitle ?? t('Untitled Session'),
    description: `${who} · ${ageLabels(hit.createdAt, now)}`,
    detail: oneLine(hit.snippet),
    iconPath: new vscode.ThemeIcon('search'),
    buttons: [transcriptButton()],
    alwaysShow: true,
    pick: { sessionId: hit.sessionId, messageUid: hit.messageUid },
  };
}

function separator(label = ''): SessionItem {
  return { label, kind: vscode.QuickPickItemKind.Separator, pick: null };
}

function othersItem(): SessionItem {
  return {
    label: t('Sessions of Other Folders…'),
    iconPath: new vscode.ThemeIcon('folder'),
    alwaysShow: true,
    pick: null,
    leadsToOthers: true,
  };
}

function note(label: string): SessionItem {
  return { label, alwaysShow: true, pick: null };
}
