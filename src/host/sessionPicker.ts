import * as vscode from 'vscode';
import type { Gateway } from '../gateway/gateway';
import type { SessionSummary } from '../transcript/session';
import { ageWords } from './ageWords';
import { errorWords } from './errorWords';

const limit = 200;
const typingPauseMs = 150;

interface SessionItem extends vscode.QuickPickItem {
  readonly sessionId: string | null;
}

/** Lets the person choose a stored session, newest first. What they type is looked for in every title and first prompt, not only in the
 *  ones listed. Resolves with null when they leave. */
export function pickSession(gateway: Pick<Gateway, 'listSessions'>, current: string | null, now: () => number): Promise<string | null> {
  const picker = vscode.window.createQuickPick<SessionItem>();
  picker.title = vscode.l10n.t('Resume Session');
  picker.placeholder = vscode.l10n.t('Type to search titles and first prompts');
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;

  let asked = 0;
  const list = async (text: string): Promise<void> => {
    const request = ++asked;
    picker.busy = true;
    try {
      const sessions = await gateway.listSessions(text === '' ? { limit } : { limit, text });
      if (request !== asked) return;
      picker.items = sessions.length === 0 ? [emptyItem(text)] : sessions.map((session) => sessionItem(session, current, now()));
    } catch (error) {
      if (request === asked) picker.items = [{ label: errorWords(error).sentence, alwaysShow: true, sessionId: null }];
    } finally {
      if (request === asked) picker.busy = false;
    }
  };

  return new Promise((resolve) => {
    let pause: NodeJS.Timeout | undefined;
    picker.onDidChangeValue((text) => {
      clearTimeout(pause);
      pause = setTimeout(() => void list(text.trim()), typingPauseMs);
    });
    picker.onDidAccept(() => {
      const chosen = picker.selectedItems[0]?.sessionId ?? null;
      resolve(chosen);
      if (chosen !== null) picker.hide();
    });
    picker.onDidHide(() => {
      clearTimeout(pause);
      asked = Number.POSITIVE_INFINITY;
      resolve(null);
      picker.dispose();
    });
    picker.show();
    void list('');
  });
}

function sessionItem(session: SessionSummary, current: string | null, now: number): SessionItem {
  const turns = session.turnCount === 1 ? vscode.l10n.t('1 turn') : vscode.l10n.t('{count} turns', { count: session.turnCount });
  const facts = [ageWords(session.lastActiveAt, now, vscode.env.language), turns, stateWords(session), session.id === current ? vscode.l10n.t('shown now') : null];
  return {
    label: session.title ?? session.preview ?? vscode.l10n.t('Untitled Session'),
    description: facts.filter((fact) => fact !== null).join(' · '),
    ...(session.preview !== null && session.preview !== session.title ? { detail: session.preview } : {}),
    sessionId: session.id,
  };
}

function stateWords(session: SessionSummary): string | null {
  switch (session.lastTurn?.state) {
    case 'running':
      return vscode.l10n.t('answering');
    case 'waiting':
      return vscode.l10n.t('waiting for approval');
    case 'interrupted':
      return vscode.l10n.t('interrupted');
    case 'failed':
      return vscode.l10n.t('failed');
    case 'complete':
    case undefined:
      return null;
  }
}

function emptyItem(text: string): SessionItem {
  const label = text === '' ? vscode.l10n.t('No sessions yet in this folder') : vscode.l10n.t('No session matches “{text}”', { text });
  return { label, alwaysShow: true, sessionId: null };
}
