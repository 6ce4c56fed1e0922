import * as vscode from 'vscode';
import type { StoreState } from '../protocol/chatProtocol';

export interface StatusFacts {
  readonly running: number;
  /** Sessions that wait for the person. */
  readonly waiting: number;
  readonly store: StoreState['kind'];
  /** Label and destination of the model that answers; null while none is chosen. */
  readonly model: { readonly label: string; readonly destination: string } | null;
}

export interface StatusWords {
  readonly text: string;
  readonly tooltip: string;
  /** Only for what needs the person. */
  readonly warning: boolean;
}

/** One item on the right: what Hermes does now and which model answers. A click goes to the chat. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('hermes.status', vscode.StatusBarAlignment.Right, 100);

  constructor() {
    this.item.name = 'Hermes';
    this.item.command = 'hermes.focusChat';
  }

  show(facts: StatusFacts): void {
    const words = statusWords(facts, (message, args) => (args === undefined ? vscode.l10n.t(message) : vscode.l10n.t(message, args)));
    this.item.text = words.text;
    this.item.tooltip = words.tooltip;
    this.item.accessibilityInformation = { label: words.tooltip };
    this.item.backgroundColor = words.warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

export function statusWords(facts: StatusFacts, t: (message: string, args?: Record<string, string>) => string): StatusWords {
  if (facts.store === 'failed' || facts.store === 'readOnly') {
    return { text: '$(warning) Hermes', tooltip: t('Hermes: sessions cannot be saved. Open the chat to see why.'), warning: true };
  }
  if (facts.store === 'elsewhere') return { text: '$(multiple-windows) Hermes', tooltip: t('Hermes: continued in another window.'), warning: false };
  const model = facts.model === null ? t('no model chosen') : t('{label}, {destination}', { label: facts.model.label, destination: facts.model.destination });
  if (facts.waiting > 0) {
    const asks = facts.waiting === 1 ? t('waiting for your approval') : t('waiting for your approval in {count} sessions', { count: String(facts.waiting) });
    return { text: `$(bell-dot) ${facts.model?.label ?? 'Hermes'}`, tooltip: t('Hermes: {state} ({model})', { state: asks, model }), warning: true };
  }
  if (facts.running > 0) {
    const answering = facts.running === 1 ? t('answering') : t('answering in {count} sessions', { count: String(facts.running) });
    return { text: `$(loading~spin) ${facts.model?.label ?? 'Hermes'}`, tooltip: t('Hermes: {state} ({model})', { state: answering, model }), warning: false };
  }
  return { text: `$(sparkle) ${facts.model?.label ?? 'Hermes'}`, tooltip: t('Hermes: ready ({model})', { model }), warning: false };
}
