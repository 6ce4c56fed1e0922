import { describe, expect, it } from 'vitest';
import type { Translate } from '../../../../src/base/translate';
import {
  exportName,
  markdownExport,
  type ExportedSession,
} from '../../../../src/history/export/readable/transcriptExport';
import { handoffPart, handoffUid } from '../../../../src/transcript/handoff';
import type { AssistantMessage, Message, UserMessage } from '../../../../src/transcript/message';
import type { Turn } from '../../../../src/transcript/turn';
import { session } from '../scriptedGateway';

const t: Translate = (message, args = {}) =>
  message.replace(/\{(\w+)\}/g, (whole, name: string) => args[name] ?? whole);
const base = {
  sessionId: 's1',
  turnUid: 't1',
  createdAt: 1_795_161_600,
  visibility: { kind: 'shown' },
  carriedFrom: null,
} as const;

function prompt(uid: string, text: string, changes: Partial<UserMessage> = {}): UserMessage {
  return { ...base, uid, position: 1, role: 'user', parts: [{ kind: 'text', text }], ...changes };
}

function answer(
  uid: string,
  parts: AssistantMessage['parts'],
  changes: Partial<AssistantMessage> = {},
): AssistantMessage {
  return {
    ...base,
    uid,
    position: 2,
    role: 'assistant',
    parts,
    state: 'final',
    lastSeq: 1,
    model: 'Local/m',
    finishReason: 'stop',
    usage: null,
    ...changes,
  };
}

function result(callId: string, text: string, outcome: 'done' | 'failed' = 'done'): Message {
  return {
    ...base,
    uid: `r-${callId}`,
    position: 3,
    role: 'tool',
    parts: [{ kind: 'toolResult', callId, name: 'read_file', outcome, text }],
  };
}

function turn(uid: string, settlement: Partial<Turn & { state: 'settled' }> = {}): Turn {
  return {
    uid,
    sessionId: 's1',
    userMessageUid: `u-${uid}`,
    model: 'Local/m',
    startedAt: 1_795_161_600,
    usage: null,
    supersedes: null,
    state: 'settled',
    settledAt: 1_795_161_609,
    outcome: 'complete',
    stopReason: 'stop',
    failure: null,
    ...settlement,
  };
}

function record(messages: readonly Message[], turns: readonly Turn[] = [turn('t1')]): ExportedSession {
  return {
    session: session('s1', {
      title: 'Flaky\nupload',
      model: 'Local/m',
      startedAt: 1_795_161_600,
      lastActiveAt: 1_795_161_609,
    }),
    messages,
    turns,
    exportedAt: 1_795_161_700,
  };
}

/** The document below its head. */
function markdown(given: ExportedSession): readonly string[] {
  return markdownExport(given, { t, language: 'en' }).split('\n\n').slice(2);
}

describe('a session as Markdown', () => {
  it('starts with title, id, model and times', () => {
    const [title, head] = markdownExport(record([]), { t, language: 'en' }).trimEnd().split('\n\n');
    expect([title, head?.split('\n').map((line) => line.split(':')[0])]).toEqual([
      '# Flaky upload',
      [
        '- Session',
        '- Model',
        expect.stringMatching(/^- Started Nov 20, 2026/),
        expect.stringMatching(/^- Exported Nov 20, 2026/),
      ],
    ]);
  });

  it('holds prompts and answers in full, with thinking and calls folded, each result with its call', () => {
    const first = answer('a1', [
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'text', text: 'I look.' },
      { kind: 'toolCall', callId: 'c1', name: 'read_file', arguments: '{"path":"a"}' },
    ]);
    const blocks = markdown(
      record([
        prompt('u1', 'Why?'),
        first,
        result('c1', 'no such file', 'failed'),
        answer('a2', [{ kind: 'text', text: 'It is gone.' }]),
      ]),
    );
    expect(blocks.map((block) => block.replace(/ · Nov 20, 2026,[^·]*/, ' · time '))).toEqual([
      '## You · time ',
      'Why?',
      '## Hermes · time · Local/m',
      '<details>\n<summary>Thinking</summary>',
      'Hm.',
      '</details>',
      'I look.',
      '<details>\n<summary>Tool: read_file, failed</summary>',
      '```json\n{"path":"a"}\n```',
      '```\nno such file\n```',
      '</details>',
      'It is gone.\n',
    ]);
  });

  it('fences tool output so that no text in it can close the fence', () => {
    const call = answer('a1', [{ kind: 'toolCall', callId: 'c1', name: 'read_file', arguments: '{}' }]);
    expect(
      markdown(record([call, result('c1', 'before\n````md\ninside')]))
        .slice(2)
        .join('\n'),
    ).toContain('`````\nbefore\n````md\ninside\n`````');
  });

  it('says below a turn how it ended, once, unless it simply finished', () => {
    const messages = [
      prompt('u1', 'One'),
      answer('a1', [{ kind: 'text', text: 'Half' }]),
      prompt('u2', 'Two', { turnUid: 't2' }),
      { ...answer('c2', []), turnUid: 't2', visibility: { kind: 'closing' } as const },
      prompt('u3', 'Three', { turnUid: 't3' }),
    ];
    const failed = turn('t2', {
      outcome: 'failed',
      stopReason: 'error',
      failure: { cause: 'auth', sentence: 'The key was refused.', technical: '401' },
    });
    expect(
      markdown(
        record(messages, [turn('t1', { outcome: 'interrupted', stopReason: 'user' }), failed, turn('t3')]),
      ).filter((block) => !block.startsWith('##')),
    ).toEqual(['One', 'Half', '> Stopped by you.', 'Two', '> The key was refused.', 'Three\n']);
  });

  it('says why hidden rows are hidden, and folds a summary', () => {
    const hidden = prompt('u1', 'Old words', { visibility: { kind: 'hidden', reason: 'edited', absorbedInto: null } });
    const handoff: Message = prompt(handoffUid('s1'), '', {
      turnUid: null,
      visibility: { kind: 'handoff' },
      parts: [handoffPart('What was said.', { before: 900, after: 100 })],
    });
    const text = markdown(record([hidden, handoff], [])).join('\n');
    expect([
      text.includes('hidden: edited'),
      text.includes('<summary>Earlier messages summarized, 900 → 100 tokens</summary>\nWhat was said.'),
    ]).toEqual([true, true]);
  });
});

describe('the file name of an export', () => {
  it('is the title without characters that file systems refuse, or the id', () => {
    expect([
      exportName({ id: 's1', title: 'Why does a/b: "c" fail?\n..' }),
      exportName({ id: 's1', title: null }),
      exportName({ id: 's1', title: '///' }),
    ]).toEqual(['Why does a b c fail', 's1', 's1']);
  });
});
