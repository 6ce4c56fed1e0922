import * as vscode from 'vscode';
import { t, shownLanguage } from '../../base/translate';
import { dollars, type Cost, type Spending } from '../../transcript/usage';
import type { ViewStoreState } from '../../protocol/chatProtocol';

/** A session that is currently answering. */
export interface RunningSession {
  readonly sessionId: string;
  readonly title: string | null;
  /** Seconds since the epoch. Null: the start was not observed. */
  readonly startedAt: number | null;
  /** Running call. Null: between calls. */
  readonly call: { readonly name: string; readonly startedAt: number } | null;
  /** Share of the model's context in use when the previous turn ended, 0 to 1. Null: not known. */
  readonly contextUsed: number | null;
}

export interface StatusFacts {
  readonly running: readonly RunningSession[];
  /** Commands that run in the background. `startedAt`: seconds since the epoch. */
  readonly commands: readonly { readonly command: string; readonly startedAt: number }[];
  /** Number of sessions that wait for the user. */
  readonly waiting: number;
  readonly store: ViewStoreState['kind'];
  /** Label and destination of the model that answers. Null: none is chosen. */
  readonly model: { readonly label: string; readonly destination: string } | null;
  /** Cost of the session that the chat shows, and of today. Null: not known. */
  readonly spending: Spending | null;
  /** State of sync in one line. Null: this history is not synchronized. */
  readonly sync: string | null;
  /** Seconds since the epoch. */
  readonly now: number;
}

interface StatusItem {
  readonly text: string;
  /** One sentence, which screen readers read out. */
  readonly accessibleLabel: string;
  /** Markdown. Escapes everything that a model or the user wrote. */
  readonly tooltip: string;
  /** True only when the user must act. */
  readonly warning: boolean;
}

const longestCall = 24;
const longestLine = 80;
/** Commands that links in the tooltip may run. */
const tooltipCommands = [
  'hermes.stop',
  'hermes.focusChat',
  'hermes.openSession',
  'hermes.runningCommands',
  'hermes.setUpModel',
  'hermes.syncStatus',
];

/** One item on the right: the current state of Hermes and the model that answers. A click opens the chat. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('hermes.status', vscode.StatusBarAlignment.Right, 100);
  private shown = '';

  constructor() {
    this.item.name = 'Hermes';
    this.item.command = 'hermes.focusChat';
  }

  show(facts: StatusFacts): void {
    const shown = statusItem(facts);
    this.item.text = shown.text;
    this.item.accessibilityInformation = { label: shown.accessibleLabel };
    this.item.backgroundColor = shown.warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    // Setting the tooltip again would close it under the pointer.
    if (shown.tooltip !== this.shown) {
      const tooltip = new vscode.MarkdownString(shown.tooltip, true);
      tooltip.isTrusted = { enabledCommands: tooltipCommands };
      this.item.tooltip = tooltip;
      this.shown = shown.tooltip;
    }
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

export function statusItem(facts: StatusFacts): StatusItem {
  if (facts.store === 'failed' || facts.store === 'readOnly') {
    return itemWith(
      '$(warning) Hermes',
      t('Hermes: sessions can’t be saved. Open the chat for details.'),
      [openChat()],
      true,
    );
  }
  if (facts.store === 'elsewhere')
    return itemWith(
      '$(multiple-windows) Hermes',
      t('Hermes: sessions are open in another window.'),
      [openChat()],
      false,
    );
  const label = facts.model?.label ?? 'Hermes';
  const model =
    facts.model === null
      ? t('no model selected')
      : t('{label}, {destination}', { label: facts.model.label, destination: facts.model.destination });
  const lines = [
    ...facts.running.map((session) => sessionLine(session)),
    ...commandLines(facts.commands),
    ...costLines(facts.spending),
    ...syncLines(facts.sync),
  ];
  if (facts.waiting > 0) {
    const state =
      facts.waiting === 1
        ? t('waiting for your approval')
        : t('waiting for your approval in {count} sessions', { count: String(facts.waiting) });
    return itemWith(
      `$(bell-dot) ${label}`,
      t('Hermes: {state} ({model})', { state, model }),
      [...lines, openChat()],
      true,
    );
  }
  if (facts.running.length > 0) {
    const state =
      facts.running.length === 1
        ? t('answering')
        : t('answering in {count} sessions', { count: String(facts.running.length) });
    return itemWith(
      `$(loading~spin) ${progressText(facts) ?? label}${commandMark(facts.commands)}`,
      t('Hermes: {state} ({model})', { state, model }),
      [...lines, openChat()],
      false,
    );
  }
  const next = facts.model === null ? commandLink(t('Set Up Model…'), 'hermes.setUpModel') : openChat();
  return itemWith(
    `$(sparkle) ${label}${commandMark(facts.commands)}`,
    t('Hermes: ready ({model})', { model }),
    [...lines, next],
    false,
  );
}

/** Names the running call and its duration: "npm test 12 s". Null while the model itself is working. */
function progressText({ running, now }: StatusFacts): string | null {
  const call = running.length === 1 ? running[0]?.call : null;
  if (call === null || call === undefined) return null;
  const seconds = Math.max(0, Math.floor(now - call.startedAt));
  const name = oneLine(call.name);
  // A status bar renders "$(name)" as an icon.
  const short = (name.length > longestCall ? `${name.slice(0, longestCall)}…` : name).replace(
    /\$\([\w-]+(~[\w-]+)?\)/g,
    '\\$&',
  );
  if (seconds < 1) return short;
  return seconds < 60
    ? t('{call} {seconds} s', { call: short, seconds })
    : t('{call} {minutes} min', { call: short, minutes: Math.floor(seconds / 60) });
}

function sessionLine({ sessionId, title, startedAt, call, contextUsed }: RunningSession): string {
  const facts = [
    ...(startedAt === null ? [] : [t('since {time}', { time: clockTime(startedAt) })]),
    ...(call === null ? [] : [t('running {call}', { call: oneLine(call.name) })]),
    ...(contextUsed === null ? [] : [t('context {percent}% full', { percent: String(Math.round(contextUsed * 100)) })]),
  ];
  const shown = [`**${escaped(title ?? t('Untitled Session'))}**`, ...facts.map(escaped)].join(' · ');
  return `${shown} · ${commandLink(t('Open'), 'hermes.openSession', { sessionId })} · ${commandLink(t('Stop'), 'hermes.stop', { sessionId })}`;
}

/** Number of commands named in the tooltip; the picker lists all. */
const mostCommands = 5;

function commandMark({ length }: StatusFacts['commands']): string {
  return length === 0
    ? ''
    : ` $(terminal) ${length === 1 ? t('1 command') : t('{count} commands', { count: String(length) })}`;
}

function commandLines(commands: StatusFacts['commands']): readonly string[] {
  if (commands.length === 0) return [];
  const named = commands.slice(0, mostCommands).map(({ command, startedAt }) => {
    const text = oneLine(command);
    const call = text.length > longestLine ? `${text.slice(0, longestLine)}…` : text;
    return escaped(`${t('running {call}', { call })} · ${t('since {time}', { time: clockTime(startedAt) })}`);
  });
  return [...named, commandLink(t('Running Commands…'), 'hermes.runningCommands')];
}

function costLines(spending: Spending | null): readonly string[] {
  if (spending === null) return [];
  const today = t('Today: {cost}', { cost: costWords(spending.today) });
  if (spending.session === null) return [escaped(today)];
  return [escaped(`${t('This session: {cost}', { cost: costWords(spending.session) })} · ${today}`)];
}

function syncLines(sync: string | null): readonly string[] {
  return sync === null ? [] : [`${escaped(sync)} · ${commandLink(t('Sync Status…'), 'hermes.syncStatus')}`];
}

function costWords({ usd, unpriced }: Cost): string {
  if (unpriced === 0) return dollars(usd, shownLanguage());
  return usd === 0 ? t('price unknown') : t('at least {cost}', { cost: dollars(usd, shownLanguage()) });
}

function itemWith(text: string, sentence: string, lines: readonly string[], warning: boolean): StatusItem {
  return { text, accessibleLabel: sentence, tooltip: [escaped(sentence), ...lines].join('\n\n'), warning };
}

function openChat(): string {
  return commandLink(t('Open Chat'), 'hermes.focusChat');
}

function commandLink(label: string, command: string, argument?: object): string {
  const given = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `[${escaped(label)}](command:${command}${given})`;
}

function clockTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString(shownLanguage(), {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Escapes Markdown: a model may have written titles and commands. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]()#+!|<>~$&]/g, '\\$&');
}
