import * as vscode from 'vscode';
import type { StoreState } from '../../protocol/chatProtocol';

type Translate = (message: string, args?: Record<string, string>) => string;

/** A session that answers now. */
export interface RunningSession {
  readonly sessionId: string;
  readonly title: string | null;
  /** Seconds since the epoch; null where the beginning was not seen. */
  readonly startedAt: number | null;
  /** The call that runs; null between calls. */
  readonly call: { readonly name: string; readonly startedAt: number } | null;
  /** How much of the model's context was full when the turn before this one ended, 0 to 1; null where that is not known. */
  readonly contextUsed: number | null;
}

export interface StatusFacts {
  readonly running: readonly RunningSession[];
  /** Sessions that wait for the person. */
  readonly waiting: number;
  readonly store: StoreState['kind'];
  /** Label and destination of the model that answers; null while none is chosen. */
  readonly model: { readonly label: string; readonly destination: string } | null;
  /** Seconds since the epoch. */
  readonly now: number;
}

export interface StatusWords {
  readonly text: string;
  /** In one sentence, also for those who do not see the item. */
  readonly spoken: string;
  /** Markdown, everything escaped that a model or a person wrote. */
  readonly tooltip: string;
  /** Only for what needs the person. */
  readonly warning: boolean;
}

const longestCall = 24;
/** Command links that the tooltip may have. */
const tooltipCommands = ['hermes.stop', 'hermes.focusChat', 'hermes.openSession', 'hermes.setUpModel'];

/** One item on the right: what Hermes does now and which model answers. A click goes to the chat. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('hermes.status', vscode.StatusBarAlignment.Right, 100);
  private shown = '';

  constructor() {
    this.item.name = 'Hermes';
    this.item.command = 'hermes.focusChat';
  }

  show(facts: StatusFacts): void {
    const words = statusWords(facts, (message, args) =>
      args === undefined ? vscode.l10n.t(message) : vscode.l10n.t(message, args),
    );
    this.item.text = words.text;
    this.item.accessibilityInformation = { label: words.spoken };
    this.item.backgroundColor = words.warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    // A tooltip that is set anew closes under the pointer.
    if (words.tooltip !== this.shown) {
      const tooltip = new vscode.MarkdownString(words.tooltip, true);
      tooltip.isTrusted = { enabledCommands: tooltipCommands };
      this.item.tooltip = tooltip;
      this.shown = words.tooltip;
    }
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

export function statusWords(facts: StatusFacts, t: Translate): StatusWords {
  if (facts.store === 'failed' || facts.store === 'readOnly') {
    return said(
      '$(warning) Hermes',
      t('Hermes: sessions can’t be saved. Open the chat for details.'),
      [openChat(t)],
      true,
    );
  }
  if (facts.store === 'elsewhere')
    return said('$(multiple-windows) Hermes', t('Hermes: continued in another window.'), [openChat(t)], false);
  const label = facts.model?.label ?? 'Hermes';
  const model =
    facts.model === null
      ? t('no model selected')
      : t('{label}, {destination}', { label: facts.model.label, destination: facts.model.destination });
  const lines = facts.running.map((session) => sessionLine(session, t));
  if (facts.waiting > 0) {
    const state =
      facts.waiting === 1
        ? t('waiting for your approval')
        : t('waiting for your approval in {count} sessions', { count: String(facts.waiting) });
    return said(
      `$(bell-dot) ${label}`,
      t('Hermes: {state} ({model})', { state, model }),
      [...lines, openChat(t)],
      true,
    );
  }
  if (facts.running.length > 0) {
    const state =
      facts.running.length === 1
        ? t('answering')
        : t('answering in {count} sessions', { count: String(facts.running.length) });
    return said(
      `$(loading~spin) ${progressWords(facts) ?? label}`,
      t('Hermes: {state} ({model})', { state, model }),
      [...lines, openChat(t)],
      false,
    );
  }
  const next = facts.model === null ? commandLink(t('Set Up Model…'), 'hermes.setUpModel') : openChat(t);
  return said(`$(sparkle) ${label}`, t('Hermes: ready ({model})', { model }), [next], false);
}

/** What takes time is named: "npm test 12 s". Null while the model itself is at work. */
function progressWords({ running, now }: StatusFacts): string | null {
  const call = running.length === 1 ? running[0]?.call : null;
  if (call === null || call === undefined) return null;
  const seconds = Math.max(0, Math.floor(now - call.startedAt));
  const name = oneLine(call.name);
  // A status bar draws "$(…)" as a sign.
  const short = (name.length > longestCall ? `${name.slice(0, longestCall)}…` : name).replaceAll('$(', '$ (');
  return seconds < 1 ? short : `${short} ${seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`}`;
}

function sessionLine({ sessionId, title, startedAt, call, contextUsed }: RunningSession, t: Translate): string {
  const facts = [
    ...(startedAt === null ? [] : [t('since {time}', { time: clockTime(startedAt) })]),
    ...(call === null ? [] : [t('running {call}', { call: oneLine(call.name) })]),
    ...(contextUsed === null ? [] : [t('context {percent}% full', { percent: String(Math.round(contextUsed * 100)) })]),
  ];
  const words = [`**${escaped(title ?? t('Untitled Session'))}**`, ...facts.map(escaped)].join(' · ');
  return `${words} · ${commandLink(t('Open'), 'hermes.openSession', { sessionId })} · ${commandLink(t('Stop'), 'hermes.stop', { sessionId })}`;
}

function said(text: string, sentence: string, lines: readonly string[], warning: boolean): StatusWords {
  return { text, spoken: sentence, tooltip: [escaped(sentence), ...lines].join('\n\n'), warning };
}

function openChat(t: Translate): string {
  return commandLink(t('Open Chat'), 'hermes.focusChat');
}

function commandLink(label: string, command: string, argument?: object): string {
  return `[${escaped(label)}](command:${command}${argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`})`;
}

function clockTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** As Markdown shows it letter by letter: titles and commands are anything a model wrote. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]()#+!|<>~$&]/g, '\\$&');
}
