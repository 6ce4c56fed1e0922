import type { OfferedPrompt } from '../../../protocol/chatProtocol';
import { t } from '../../localization';
import { useSignal } from '@preact/signals';
import { isPlainKey, movedIn } from '../common/listMoves';
import { useEffect } from 'preact/hooks';
import { Drafts } from '../drafts/drafts';
import { useChat } from '../state/chat';
import type { ChatViewState } from '../state/chatState';

/** Commands after "/" at the beginning of the composer. `takes`: the text that follows the name, and if it is
 *  optional. `feature`: the optional feature that it belongs to. */
export const slashCommands = [
  { name: 'new', takes: 'nothing' },
  { name: 'reset', takes: 'nothing' },
  { name: 'resume', takes: 'optional' },
  { name: 'branch', takes: 'optional' },
  { name: 'undo', takes: 'optional' },
  { name: 'retry', takes: 'nothing' },
  { name: 'compress', takes: 'optional' },
  { name: 'title', takes: 'text' },
  { name: 'search', takes: 'optional', feature: 'search' },
  { name: 'model', takes: 'nothing' },
  { name: 'memory', takes: 'nothing', feature: 'builtinMemory' },
  { name: 'queue', takes: 'text' },
  { name: 'steer', takes: 'text' },
  { name: 'stop', takes: 'nothing' },
  { name: 'export', takes: 'nothing', feature: 'history' },
  { name: 'help', takes: 'nothing' },
] as const;
export type SlashCommand = (typeof slashCommands)[number];

/** What the product and the project offer after "/". */
type Offering = Pick<ChatViewState, 'features' | 'promptFiles'>;
const allOfOurs: Offering = { features: null, promptFiles: [] };

function commandsOf({ features }: Offering): readonly SlashCommand[] {
  return slashCommands.filter((each) => !('feature' in each) || (features?.includes(each.feature) ?? true));
}

/** Item of the list: a command, or a prompt file of the project. */
export type Offered = SlashCommand | (OfferedPrompt & { readonly takes: 'prompt' });

/** Kind of a submitted text. incomplete: its argument is missing · excess: a command without an argument got text,
 *  which would be lost. */
type SlashInput =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'command'; readonly name: SlashCommand['name']; readonly text: string }
  /** A prompt of an MCP server, with its first arguments. */
  | { readonly kind: 'serverPrompt'; readonly name: string; readonly text: string }
  | { readonly kind: 'incomplete' | 'excess' | 'unknown'; readonly name: string };

/** Parses a submitted text. A path (`/usr/bin`), a comment (`// why`), the name of a prompt file and any text that
 *  begins with a blank are prompts. */
export function parseSlash(input: string, offering = allOfOurs): SlashInput {
  const match = /^\/([\p{L}\d_-]*)(?:\s+([^]*))?$/u.exec(input.trimEnd());
  if (match === null) return { kind: 'prompt' };
  const name = (match[1] ?? '').toLowerCase();
  const text = match[2] ?? '';
  const command = commandsOf(offering).find((known) => known.name === name);
  if (command === undefined) {
    const prompt = offering.promptFiles.find((each) => each.name.split(' ')[0]?.toLowerCase() === name);
    if (prompt === undefined) return { kind: 'unknown', name };
    return prompt.kind === 'server' ? { kind: 'serverPrompt', name, text } : { kind: 'prompt' };
  }
  if (command.takes === 'text' && text === '') return { kind: 'incomplete', name };
  if (command.takes === 'nothing' && text !== '') return { kind: 'excess', name };
  return { kind: 'command', name: command.name, text };
}

/** Returns the completions while a name is being typed; none after the name. A prompt file with the name of a
 *  command is not offered: it would not run. */
export function offeredCommands(typed: string, offering = allOfOurs): readonly Offered[] {
  const begun = /^\/([\p{L}\d$_:.-]*)$/u.exec(typed)?.[1]?.toLowerCase();
  if (begun === undefined) return [];
  const commands = commandsOf(offering);
  const own = offering.promptFiles
    .filter(({ name }) => commands.every((command) => command.name !== name))
    .map((prompt) => ({ ...prompt, takes: 'prompt' as const }));
  return [...commands, ...own].filter(({ name }) => name.toLowerCase().startsWith(begun));
}

/** Returns the composer's text after this item was picked. */
export function completed(offered: Offered): string {
  // Hermes asks for the arguments of a server's prompt.
  const takesText =
    offered.takes === 'text' ||
    (offered.takes === 'prompt' && offered.argumentHint !== null && offered.kind !== 'server');
  return takesText ? `/${offered.name} ` : `/${offered.name}`;
}

/** Returns the reason why a text that looks like a command did not run. Nothing was sent, and the text is still in
 *  the composer. */
export function refusalText(
  { kind, name }: SlashInput & { readonly kind: 'incomplete' | 'excess' | 'unknown' },
  offering = allOfOurs,
): string {
  const args = { name, commands: commandList(offering) };
  switch (kind) {
    case 'incomplete':
      return t('/{name} needs text after it.', args);
    case 'excess':
      return t('/{name} takes no text. Nothing was sent. Type a space before / to send this as text.', args);
    case 'unknown':
      return t(
        '/{name} is not a command. Nothing was sent. Type a space before / to send this as text. Commands: {commands}.',
        args,
      );
    default:
      return kind satisfies never;
  }
}

export function commandList(offering: Offering): string {
  return commandsOf(offering)
    .map(({ name }) => `/${name}`)
    .join(' ');
}

/** Milliseconds without a change before the number of suggestions is announced. */
const pauseMs = 700;

export const commandListId = 'command-list';

export function commandOptionId({ name }: Offered): string {
  return `command-${name}`;
}

interface OfferedCommands {
  readonly offered: readonly Offered[];
  /** Null while no list is shown. */
  readonly active: Offered | null;
  readonly pick: (command: Offered) => void;
  readonly typed: (text: string) => void;
  readonly close: () => void;
  /** Returns true when the list handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

/** List of commands above the composer. Typing "/" opens it; Escape closes it until the text changes. */
export function useCommands(): OfferedCommands {
  const chat = useChat();
  const drafts = chat.part(Drafts);
  const offering = chat.steady.value;
  const isOpen = useSignal(false);
  const place = useSignal(0);
  // Keys may arrive faster than renders, so each key is judged by the state at that moment.
  const find = (typed: string): Pick<OfferedCommands, 'offered' | 'active'> => {
    const offered = offeredCommands(typed, offering);
    return { offered, active: isOpen.value ? (offered[Math.min(place.value, offered.length - 1)] ?? null) : null };
  };
  const close = (): void => {
    isOpen.value = false;
  };
  const pick = (command: Offered): void => {
    close();
    drafts.edit(completed(command));
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const { offered, active } = find(drafts.text.peek());
    if (active === null || !isPlainKey(event)) return false;
    const next = movedIn(event.key, offered.indexOf(active), offered.length);
    if (next !== null) place.value = next;
    else if (event.key === 'Escape') close();
    // A fully typed command needs no completion: Enter runs it.
    else if (event.key === 'Tab' || (event.key === 'Enter' && completed(active) !== drafts.text.peek())) pick(active);
    else return false;
    event.preventDefault();
    return true;
  };
  const typed = (next: string): void => {
    const isOffered = offeredCommands(next, offering).length > 0;
    if (isOffered && !isOpen.peek()) void chat.host.request('startServers', {}).catch(() => undefined);
    isOpen.value = isOffered;
    place.value = 0;
  };
  return { ...find(drafts.text.value), pick, typed, close, onKeyDown };
}

/** Announces the number of suggestions once typing pauses; null when no list is open. */
export function useAnnouncedCount(count: number | null): void {
  const chat = useChat();
  useEffect(() => {
    if (count === null) return undefined;
    return chat.timers.after(pauseMs, () =>
      chat.ui.announce(
        count === 0 ? t('No suggestions') : count === 1 ? t('1 suggestion') : t('{count} suggestions', { count }),
      ),
    );
  }, [count]);
}
