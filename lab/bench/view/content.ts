import type { ChatState, ShownSession } from '../../../src/protocol/chatProtocol';
import { protocolVersion } from '../../../src/protocol/envelope';
import type { Message } from '../../../src/transcript/message';
import type { Turn } from '../../../src/transcript/turn';
import type { TurnEvent } from '../../../src/transcript/turnEvent';
import {
  answer,
  modelRow,
  prompt,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../test/support/builders/viewMessages';

const paragraph =
  'The retry timer uses the **real clock**, so the test passes only where the machine is `fast ' +
  'enough`; see [src/upload.ts](src/upload.ts:42) for it.';
const block = [
  paragraph,
  paragraph,
  '1. one thing\n2. another, with *weight*\n3. a third',
  '```ts\nexport async function upload(file: File, clock: Clock): Promise<void> {\n  await clock.sleep(200);\n}\n```',
  `> ${paragraph}`,
].join('\n\n');

/** Markdown as models write it, of that many characters. */
export function markdown(characters: number): string {
  return `${block}\n\n`.repeat(Math.ceil(characters / block.length)).slice(0, characters);
}

/** What an answer may be made of, of that many characters. Each ends with `theEnd`. */
export const longAnswers: Readonly<
  Record<'markdown' | 'line' | 'code' | 'list' | 'log', (characters: number) => string>
> = {
  markdown: (characters) => `${markdown(characters)}\n\n${theEnd}`,
  // A single paragraph on a single line.
  line: (characters) => `${numbered(characters, ' ')} ${theEnd}`,
  code: (characters) => `\`\`\`ts\n${markdown(characters).replaceAll('`', "'")}\n${theEnd}\n\`\`\``,
  list: (characters) => `${numbered(characters, '\n- ').replace(/^/, '- ')}\n- ${theEnd}`,
  // Lines without an empty one among them.
  log: (characters) => `${numbered(characters, ' ').replace(/(.{70,90}) /g, '$1\n')}\n${theEnd}`,
};

/** Stands at the end of a long answer. */
export const theEnd = 'THE-END';

function numbered(characters: number, between: string): string {
  const count = Math.ceil(characters / ('word123456'.length + between.length));
  return Array.from({ length: count }, (_, index) => `word${index + 100_000}`).join(between);
}

/** A session whose last answer is this text. */
export function behindAnswer(text: string): ShownSession {
  const messages = [question(0), answer({ uid: 't0-a', position: 2, turnUid: 't0' }, [text])];
  return shownSession({ messages, turns: [settledTurn('t0', 't0-u')], hasEarlier: false });
}

/** A notification as the host posts it. */
function told(name: string, payload: unknown): string {
  return JSON.stringify({ v: protocolVersion, kind: 'notification', name, payload });
}

export function turnEvent(event: TurnEvent, sessionId = session().id): string {
  return told('turnEvent', { sessionId, event });
}

/** A text in pieces of equal length, as deltas of one answer. */
export function deltas(
  text: string,
  count: number,
  place: { readonly turnUid: string; readonly uid: string; readonly sessionId?: string },
): readonly string[] {
  const size = Math.ceil(text.length / count);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => {
    const chunk = {
      messageUid: place.uid,
      seq: index + 1,
      part: 0,
      kind: 'text',
      start: index * size,
      text: text.slice(index * size, (index + 1) * size),
    } as const;
    return turnEvent({ kind: 'delivered', turnUid: place.turnUid, chunks: [chunk] }, place.sessionId);
  });
}

/** Settled turns `from` up to, not including, `to`: a prompt and an answer of about 1 KB. */
export function history(
  from: number,
  to: number,
): { readonly messages: readonly Message[]; readonly turns: readonly Turn[] } {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  return {
    messages: numbers.flatMap((number) => [question(number), said(number)]),
    turns: numbers.map((number) => settledTurn(`t${number}`, `t${number}-u`)),
  };
}

/** What a settled turn tells a view, from its prompt to its end; the answer comes in twelve deltas. */
export function wholeTurn(number: number): readonly string[] {
  const turnUid = `t${number}`;
  return [
    turnEvent({ kind: 'turnOpened', turn: runningTurn(turnUid, `${turnUid}-u`), userMessage: question(number) }),
    ...deltas(answerOf(number), 12, { turnUid, uid: `${turnUid}-a` }),
    turnEvent({
      kind: 'turnSettled',
      turn: settledTurn(turnUid, `${turnUid}-u`),
      messages: [question(number), said(number)],
    }),
  ];
}

/** The newest page of a session of that many turns, in which a turn (`live`) runs. */
export function running(turns: number): ShownSession {
  const page = history(Math.max(0, turns - 29), turns);
  const open = runningTurn('live', 'live-u');
  return shownSession({
    messages: [
      ...page.messages,
      prompt({ uid: 'live-u', position: turns * 2 + 1, turnUid: 'live' }, 'Why does the test fail?'),
    ],
    turns: page.turns,
    openTurn: open,
    hasEarlier: turns > 29,
  });
}

export function bootstrap(shown: ShownSession): string {
  const state: ChatState = {
    shown,
    newDraft: '',
    newDraftParts: [],
    recentSessions: [],
    beginning: { private: false },
    newMode: 'ask',
    background: [],
    model: { chosen: modelRow(), problem: null },
    setup: { searching: false, entries: [] },
    store: { kind: 'open', notices: [] },
    restricted: false,
    folderName: 'upload',
    promptFiles: [],
    demoPrompts: [],
    localization: {},
  };
  return told('bootstrap', state);
}

function question(number: number): Message {
  return prompt(
    { uid: `t${number}-u`, position: number * 2 + 1, turnUid: `t${number}` },
    `Question ${number}: why does upload.test.ts fail on CI only?`,
  );
}

function said(number: number): Message {
  return answer({ uid: `t${number}-a`, position: number * 2 + 2, turnUid: `t${number}` }, [answerOf(number)], {
    lastSeq: 12,
  });
}

function answerOf(number: number): string {
  return `Answer ${number}.\n\n${markdown(1000)}`;
}
