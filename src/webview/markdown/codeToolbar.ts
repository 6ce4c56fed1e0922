import { t } from '../localization';
import { codeTextOf } from './codeTexts';
import type { MarkdownActions } from './markdownActions';

const shells = /^(?:bash|sh|shell|zsh|fish|console|shellsession|terminal|powershell|pwsh|ps1|bat|cmd)$/;

interface CodeAction {
  readonly icon: string;
  readonly label: string;
  /** Text beside the icon, if there is room. */
  readonly title: string;
  readonly act: (button: HTMLButtonElement) => void;
  /** Pressed state of a toggle button. */
  readonly isPressed?: boolean;
}

const mostWrapped = 50;

/** Texts of code with wrapped lines, most recent ones only: answers out of view render again when they return. */
class WrappedCode {
  private readonly texts = new Set<string>();

  has(text: string): boolean {
    return this.texts.has(text);
  }

  remember(text: string, isWrapped: boolean): void {
    this.texts.delete(text);
    if (isWrapped) this.texts.add(text);
    const [oldest] = this.texts;
    if (this.texts.size > mostWrapped && oldest !== undefined) this.texts.delete(oldest);
  }
}
const wrapped = new WrappedCode();

/** Adds a toolbar to the head of a code block: one tab stop, arrow keys move along it. The buttons have no text, so
 *  that the answer's text stays as delivered: CSS renders icon and label. */
export function addCodeToolbar(pre: HTMLPreElement, actions: MarkdownActions): void {
  const head = pre.parentElement?.querySelector('.code-head');
  if (head === null || head === undefined || head.childElementCount > 0) return;
  pre.classList.toggle('wrapped', wrapped.has(pre.textContent ?? ''));
  const buttons = actionsOf(pre, actions).map(buttonOf);
  const bar = document.createElement('span');
  bar.className = 'code-actions';
  bar.setAttribute('role', 'toolbar');
  bar.setAttribute('aria-label', t('Code'));
  bar.append(...buttons);
  stopAt(buttons, 0);
  bar.addEventListener('keydown', (event) => goAlong(event, buttons));
  bar.addEventListener('focusin', ({ target }) =>
    stopAt(
      buttons,
      buttons.findIndex((button) => button === target),
    ),
  );
  head.append(bar);
}

function actionsOf(pre: HTMLPreElement, { copy, code }: MarkdownActions): readonly CodeAction[] {
  const onText =
    (act: (text: string, button: HTMLButtonElement) => void) =>
    (button: HTMLButtonElement): void => {
      const text = codeTextOf(pre);
      if (text === null) refuse(button);
      else act(text, button);
    };
  const named = (icon: string, label: string, act: (text: string) => void): CodeAction => ({
    icon,
    label,
    title: label,
    act: onText(act),
  });
  const info = pre.dataset['info'] ?? '';
  const isShell = shells.test(pre.dataset['language'] ?? '');
  const onCode: readonly CodeAction[] =
    code === undefined
      ? []
      : [
          named('insert', t('Insert at Cursor'), (text) => code.insert(text)),
          named('git-stash-apply', t('Apply to File…'), (text) => code.apply(text, info)),
          named('new-file', t('New File'), (text) => code.newFile(text, info)),
          ...(isShell ? [named('terminal', t('Run in Terminal'), (text) => code.run(text, info))] : []),
        ];
  return [
    {
      icon: 'word-wrap',
      label: t('Wrap Lines'),
      title: '',
      act: (button) => wrap(pre, button),
      isPressed: pre.classList.contains('wrapped'),
    },
    ...onCode,
    {
      icon: 'copy',
      label: t('Copy Code'),
      title: t('Copy'),
      act: onText((text, button) => (copy(text), confirm(button))),
    },
  ];
}

function buttonOf({ icon, label, title, act, isPressed }: CodeAction): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = `code-action codicon codicon-${icon}`;
  button.title = label;
  button.setAttribute('aria-label', label);
  if (title !== '') button.dataset['words'] = title;
  if (isPressed !== undefined) button.setAttribute('aria-pressed', String(isPressed));
  button.addEventListener('click', () => act(button));
  return button;
}

function wrap(pre: HTMLPreElement, button: HTMLButtonElement): void {
  const isWrapped = pre.classList.toggle('wrapped');
  button.setAttribute('aria-pressed', String(isWrapped));
  wrapped.remember(pre.textContent ?? '', isWrapped);
}

/** Refuses the action when the visible code differs from the code that would be run, written or copied; the button
 *  says so. */
function refuse(button: HTMLButtonElement): void {
  const sentence = t('The code shown here doesn’t match the answer. Nothing was done.');
  button.setAttribute('aria-disabled', 'true');
  button.setAttribute('aria-label', sentence);
  button.title = sentence;
}

function confirm(button: HTMLButtonElement): void {
  button.classList.replace('codicon-copy', 'codicon-check');
  setTimeout(() => button.classList.replace('codicon-check', 'codicon-copy'), 1500);
}

function stopAt(buttons: readonly HTMLButtonElement[], place: number): void {
  if (place >= 0) buttons.forEach((button, index) => (button.tabIndex = index === place ? 0 : -1));
}

function goAlong(event: KeyboardEvent, buttons: readonly HTMLButtonElement[]): void {
  const at = buttons.findIndex((button) => button === event.target);
  const last = buttons.length - 1;
  // Code reads from left to right, whatever the direction of the text around it.
  const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at <= 0 ? last : at - 1, Home: 0, End: last }[
    event.key
  ];
  if (to === undefined) return;
  event.preventDefault();
  buttons[to]?.focus();
}
