import { effect } from '@preact/signals';
import { afterEach, describe, expect, it } from 'vitest';
import { verifySession, type VerificationOptions } from '../../../../../src/features/transcript/core/verifySession';
import type { Verification } from '../../../../../src/transcript/verification';
import { DeliveryReport } from '../../../../../src/webview/chat/verify/deliveryReport';
import { ChatInWorld } from '../../../../support/chatInWorld';
import { reply } from '../../../../support/modelServer';
import { World, type WorldOptions } from '../../../../support/world';
import { TypedInput } from '../../../../../src/webview/chat/composer/typedInput';
import { Drafts } from '../../../../../src/webview/chat/drafts/drafts';
import { AskAgain } from '../../../../../src/webview/chat/session/askAgain';
import { SessionSwitchController } from '../../../../../src/webview/chat/session/sessionSwitchController';

let world: World;
let chats: ChatInWorld[] = [];
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(async () => {
  for (const chat of chats.splice(0)) chat.dispose();
  await world.close();
});

/** A chat whose view keeps a witness of every state it drew. */
async function reportedChat(
  surfaceId: string,
): Promise<{ readonly chat: ChatInWorld; readonly report: DeliveryReport }> {
  const chat = new ChatInWorld(world, surfaceId);
  chats = [...chats, chat];
  const report = new DeliveryReport();
  effect(() => {
    const { conversation } = chat.chat.state.value;
    if (conversation !== null) report.observe(conversation.session.conversationId, conversation.messages);
  });
  await chat.quiet();
  return { chat, report };
}

/** A chat in which prompts were answered so, one after another. */
async function answered(...answers: readonly string[]): ReturnType<typeof reportedChat> {
  await create();
  const made = await reportedChat('chat');
  world.server.script(...answers.map((text) => reply().says(text)));
  for (const text of answers) await say(made.chat, `prompt of ${text}`);
  return made;
}

async function say(chat: ChatInWorld, text: string): Promise<void> {
  chat.chat.part(Drafts).edit(text);
  await chat.chat.part(TypedInput).submit();
  await chat.quiet();
}

async function verify(
  sessionId: string,
  report: DeliveryReport,
  change: Partial<VerificationOptions> = {},
): Promise<Verification> {
  const { conversationId } = (await world.store.getSession(sessionId)) ?? { conversationId: '' };
  const verification = await verifySession(sessionId, report.entriesOf(conversationId), {
    sessions: world.store,
    describe: String,
    now: () => 1,
    checkFile: async () => ({ found: await world.store.verifyIntegrity() }),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...change,
  });
  if (verification === null) throw new Error('stopped');
  return verification;
}

const inShort = ({ turns, shown, onDisk, findings }: Verification) => ({
  verdicts: turns.map(({ number, verdict }) => `${number ?? '-'} ${verdict}`),
  whole: shown === onDisk && shown > 0,
  findings,
});
const shownIn = (chat: ChatInWorld): string => chat.shownSession ?? '';

describe('verifying a session', () => {
  it('finds everything that was shown, whether stopped, retried, taken back, branched, compressed or repaired', async () => {
    await create();
    const { chat, report } = await reportedChat('chat');
    world.server.script(
      reply().thinks('Let me see.').says('The first answer is this one.'),
      reply().says('The second answer.'),
      reply().says('The second answer in other words.'),
      reply().says('An answer to be taken back.'),
    );
    await say(chat, 'first');
    await say(chat, 'second');
    const turnOf = (): string => chat.chat.state.peek().conversation?.messages.at(-1)?.turnUid ?? '';
    await chat.chat.part(AskAgain).retry(turnOf());
    await chat.quiet();
    await say(chat, 'third');
    await chat.chat.part(SessionSwitchController).undo('1');
    await chat.quiet();
    expect(inShort(await verify(shownIn(chat), report))).toEqual({
      verdicts: ['1 same', '- same', '2 same', '- same'],
      whole: true,
      findings: [],
    });

    await chat.chat.part(SessionSwitchController).branch(null);
    await chat.quiet();
    expect(inShort(await verify(shownIn(chat), report))).toEqual({
      verdicts: ['1 same', '2 same'],
      whole: true,
      findings: [],
    });

    world.damageStore("DELETE FROM messages WHERE role = 'user' AND content = 'second'");
    world.server.script(
      reply().says('A third answer, at length. '.repeat(400), { in: 4000 }),
      reply().says('A fourth, at length. '.repeat(400), { in: 4000 }),
      reply().says('## Goal\nA summary of it all.'),
      reply().says('And a fourth.'),
    );
    await say(chat, 'go on');
    await say(chat, 'and on');
    expect((await verify(shownIn(chat), report)).turns.flatMap(({ missing }) => missing)).toEqual([]);
    await world.gateway.compression.compress(shownIn(chat), null);
    await chat.quiet();
    await say(chat, 'after that');
    const after = await verify(shownIn(chat), report);
    expect([after.turns.flatMap(({ missing }) => missing), after.shown === after.onDisk && after.shown > 0]).toEqual([
      [],
      true,
    ]);
  });

  it('names the turn that holds less than was shown, and the number of characters shown', async () => {
    const { chat, report } = await answered(
      'An answer of the first turn.',
      'An answer of the second turn.',
      'The third one.',
    );
    world.damageStore(
      "UPDATE messages SET parts = replace(parts, 'An answer of the second turn.', 'An answer'), " +
        "content = 'An answer' WHERE content LIKE '%second%'",
    );
    world.damageStore("UPDATE messages SET parts = replace(parts, 'third', 'other') WHERE content LIKE '%third%'");
    const { turns, shown, onDisk } = await verify(shownIn(chat), report);
    expect({
      turns: turns.map(({ number, verdict, missing }) => [
        number,
        verdict,
        missing.map((part) => [part.shown, part.stored]),
      ]),
      shown,
      onDisk,
    }).toEqual({
      turns: [
        [1, 'same', []],
        [2, 'missing', [[29, 9]]],
        [3, 'missing', [[14, 14]]],
      ],
      shown: 28 + 29 + 14,
      onDisk: 28,
    });
  });

  it('reports an answer whose row is missing', async () => {
    const { chat, report } = await answered('An answer.');
    world.damageStore("DELETE FROM messages WHERE role = 'assistant'");
    const { turns, findings } = await verify(shownIn(chat), report);
    expect([
      turns.map(({ number, verdict, missing }) => [number, verdict, missing.map((part) => [part.shown, part.stored])]),
      findings.length > 0,
    ]).toEqual([[[1, 'missing', [[10, null]]]], true]);
  });

  it('without a delivery report makes no claim about what was shown, and still checks what is stored', async () => {
    const { chat } = await answered('An answer.');
    const { turns, shown, findings, turnCount } = await verify(shownIn(chat), new DeliveryReport(), {
      checkFile: async () => ({ unchecked: 'Not now.' }),
    });
    expect({ verdicts: turns.map(({ verdict }) => verdict), shown, findings, turnCount }).toEqual({
      verdicts: ['unreported'],
      shown: 0,
      findings: [],
      turnCount: 1,
    });
  });

  it('reports unreadable data as unreadable, with the reason: neither as missing nor as intact', async () => {
    const { chat, report } = await answered('An answer.');
    const broken = () => Promise.reject(new Error('The file is damaged.'));
    const { findings, turns, unread, fileUnchecked, shown, onDisk } = await verify(shownIn(chat), report, {
      sessions: {
        readTranscript: broken,
        getMessage: broken,
        revisionsOf: broken,
        getTurn: broken,
        checkSession: broken,
      },
      checkFile: broken,
      describe: (error) => (error instanceof Error ? error.message : ''),
    });
    const lost = turns.map(({ verdict, missing, unread: messages }) => [
      verdict,
      missing,
      messages.map((message) => [message.shown, message.sentence]),
    ]);
    expect({ findings, lost, unread, fileUnchecked, shown, onDisk }).toEqual({
      findings: [],
      lost: [['unread', [], [[10, 'The file is damaged.']]]],
      unread: ['The file is damaged.'],
      fileUnchecked: 'The file is damaged.',
      shown: 10,
      onDisk: 0,
    });
  });

  it('reports a row as unreadable if its earlier versions cannot be read at the moment, or if it is stored elsewhere', async () => {
    const { chat, report } = await answered('An answer of the first turn.', 'An answer of the second turn.');
    world.damageStore(
      "UPDATE messages SET parts = replace(parts, 'An answer of the first turn.', 'An answer'), " +
        "content = 'An answer' WHERE content LIKE '%first%'",
    );
    const busy = () => Promise.reject(new Error('The disk was busy.'));
    const sessions: VerificationOptions['sessions'] = {
      readTranscript: (query) => world.store.readTranscript(query),
      getMessage: (uid: string) => world.store.getMessage(uid),
      revisionsOf: busy,
      getTurn: (uid: string) => world.store.getTurn(uid),
      checkSession: (id: string) => world.store.checkSession(id),
    };
    const words = (error: unknown): string => (error instanceof Error ? error.message : '');
    const unreadRevisions = await verify(shownIn(chat), report, { sessions, describe: words });
    expect([
      unreadRevisions.turns.map(({ verdict }) => verdict),
      unreadRevisions.unread,
      unreadRevisions.findings,
    ]).toEqual([['unread', 'same'], ['The disk was busy.'], []]);

    const isolated = await verify(shownIn(chat), report, {
      sessions: {
        ...sessions,
        readTranscript: () =>
          Promise.resolve({ messages: [], turns: [], versions: [], hasEarlier: false, later: 0, total: 0 }),
        getMessage: busy,
      },
      describe: words,
    });
    expect([isolated.turns.map(({ verdict }) => verdict), isolated.unread]).toEqual([
      ['unread', 'unread'],
      ['The disk was busy.'],
    ]);
  });

  it('finds what a check finds, by the same rules', async () => {
    const { chat, report } = await answered('An answer.', 'Another answer.');
    world.damageStore("UPDATE messages SET absorbed_into = 'elsewhere' WHERE content = 'prompt of An answer.'");
    world.damageStore(`UPDATE messages SET parts = '{"kind":"text"}' WHERE content = 'Another answer.'`);
    const { findings } = await verify(shownIn(chat), report);
    expect(findings.map(({ sentence }) => sentence.split(':')[0])).toEqual([
      'Message can’t be read',
      'Link to a missing row',
    ]);
  });

  it('stops when requested', async () => {
    const { chat, report } = await answered('An answer.');
    const stop = new AbortController();
    stop.abort();
    const stopped = await verifySession(shownIn(chat), report.entriesOf(shownIn(chat)), {
      sessions: world.store,
      describe: String,
      now: () => 1,
      checkFile: async () => ({ found: [] }),
      signal: stop.signal,
      onProgress: () => undefined,
    });
    expect(stopped).toBeNull();
  });
});
