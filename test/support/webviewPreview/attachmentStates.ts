import type { Mention } from '../../../src/protocol/attachmentProtocol';
import type { DraftPart, SentPart } from '../../../src/transcript/draftPart';
import type { UserMessage } from '../../../src/transcript/message';
import { answer, modelRow, prompt, runningTurn, session, settledTurn, shownSession } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** States of prompts that carry more than text, for the preview. */

/** A small picture with something to see: four fields of colour. */
const pixels =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8Dwn4GBgYGJgYGBAQAU/gMBxHrZ1gAAAABJRU5ErkJggg==';

export const code: SentPart = {
  kind: 'attachment',
  label: 'src/upload.ts:10-24',
  source: 'file:src/upload.ts:10-24',
  text: Array.from({ length: 15 }, (_, line) => `${line + 10}  await clock.sleep(${200 * line});`).join('\n'),
};
export const picture: SentPart = {
  kind: 'image',
  mediaType: 'image/png',
  dataBase64: pixels,
  name: 'Screenshot of the failing run.png',
};
export const terminal: SentPart = {
  kind: 'attachment',
  label: 'Terminal Output',
  source: 'terminal',
  text: ' FAIL  test/upload.test.ts > uploads\nAssertionError: expected 2 to be 1',
};
const file: DraftPart = { kind: 'mention', source: 'file:src/upload.ts', label: 'src/upload.ts' };
const many: readonly DraftPart[] = [
  file,
  { kind: 'mention', source: 'folder:test/fixtures', label: 'test/fixtures/' },
  { kind: 'mention', source: 'problems', label: 'Problems' },
  { kind: 'mention', source: 'git:diff', label: 'Git Changes' },
  {
    kind: 'mention',
    source: 'session:20261101_101010_a1b2c3',
    label: 'Explain the build scripts and where the worker comes from',
  },
  { kind: 'mention', source: 'symbol:src/client/uploadQueue.ts:12-40#retryWithBackoff', label: 'retryWithBackoff' },
  code,
  picture,
  terminal,
];

export const mentions: readonly Mention[] = [
  { kind: 'file', source: 'file:src/upload.ts', label: 'src/upload.ts', detail: 'src' },
  { kind: 'file', source: 'file:test/upload.test.ts', label: 'test/upload.test.ts', detail: 'test' },
  {
    kind: 'file',
    source: 'file:packages/client/src/internal/queues/uploadQueue.ts',
    label: 'packages/client/src/internal/queues/uploadQueue.ts',
    detail: 'packages/client/src/internal/queues',
  },
  { kind: 'folder', source: 'folder:test/uploads', label: 'test/uploads/', detail: 'test' },
  { kind: 'symbol', source: 'symbol:src/upload.ts:10-24#upload', label: 'upload', detail: 'src/upload.ts:10' },
  { kind: 'problems', source: 'problems', label: 'Problems', detail: '2 errors, 1 warning' },
  { kind: 'selection', source: 'selection', label: 'Selection', detail: 'src/upload.ts:10-24' },
  { kind: 'terminal', source: 'terminal', label: 'Terminal', detail: 'the last command’s output' },
  { kind: 'git', source: 'git:a1b2c3d', label: 'a1b2c3d', detail: 'Retry uploads' },
  {
    kind: 'session',
    source: 'session:20261101_101010_a1b2c3',
    label: 'Explain the build scripts',
    detail: '3 days ago',
  },
];

function asked(text: string): UserMessage {
  const message = prompt({ uid: 'u1', position: 1 }, text);
  return { ...message, parts: [...(text === '' ? [] : message.parts), code, picture, terminal] };
}

/** */
export function attachmentStates(): Readonly<Record<string, PreviewState>> {
  const done = shownSession({
    messages: [
      asked('Why does this fail on CI only?'),
      answer({ uid: 'a1', position: 2 }, ['The timer uses the real clock.']),
    ],
    turns: [settledTurn()],
  });
  const queue = [
    {
      uid: 'q1',
      sessionId: session().id,
      text: 'And compare it with the run on my machine, please',
      parts: [picture],
      createdAt: 1,
    },
    { uid: 'q2', sessionId: session().id, text: '', parts: [code, terminal], createdAt: 2 },
    {
      uid: 'q3',
      sessionId: session().id,
      text: 'Then write it down in the README',
      parts: [code, terminal],
      createdAt: 3,
    },
  ];
  return {
    'attach-chips': chat({ ...done, draft: 'Fix @src/upload.ts and run the tests', draftParts: many }),
    'attach-no-images': chat(
      { ...done, draft: 'What is wrong here?', draftParts: [picture] },
      {},
      { model: { chosen: modelRow({ images: false }), problem: null } },
    ),
    'attach-preview': chat(
      {
        ...done,
        messages: [prompt({ uid: 'u1', position: 1 }, 'Why does this fail on CI only?'), ...done.messages.slice(1)],
        draftParts: [code, file],
      },
      { press: ['src/upload.ts:10-24'] },
    ),
    'attach-image': chat(done, { press: ['Screenshot of the failing run.png'] }),
    'attach-menu': chat(null, { press: ['Attach'] }),
    'attach-mentions': chat(done, { requests: { mentions: { mentions, isWhole: true } }, type: 'Look at @upl' }),
    'attach-none': chat(done, { requests: { mentions: { mentions: [], isWhole: true } }, type: 'Look at @zeppelin' }),
    'attach-edit': chat(done, { press: ['Edit & Resend'] }),
    'attach-queue': chat({ ...done, openTurn: runningTurn('turn2', 'u2'), activity: { kind: 'answering' }, queue }),
  };
}
