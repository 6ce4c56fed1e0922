import { describe, expect, it } from 'vitest';
import { exportName, markdownExport, type ExportedSession } from '../../../../src/transcript/readable/transcriptExport';
import { handoffPart, handoffUid } from '../../../../src/transcript/handoff';
import type { Message } from '../../../../src/transcript/message';
import type { Turn } from '../../../../src/transcript/turn';
import { afternoon, answer, call, prompt, result, settledTurn } from '../../../support/builders/viewMessages';
import { session } from '../scriptedGateway';
import { t } from '../../../../src/base/translate';

const asked = (uid: string, text: string, turnUid = 't1'): Message => prompt({ uid, position: 1, turnUid }, text);
const says = (uid: string, ...parts: Parameters<typeof answer>[1]): Message =>
  answer({ uid, position: 2, turnUid: 't1' }, parts);
const read = (text: string, outcome: 'done' | 'failed' = 'done'): Message =>
  result({ uid: 'r1', position: 3, turnUid: 't1' }, 'c1', 'read_file', text, outcome);

function record(messages: readonly Message[], turns: readonly Turn[] = [settledTurn('t1')]): ExportedSession {
  return {
    session: session('s1', { title: 'Flaky\nupload', model: 'Local/m', startedAt: afternoon, lastActiveAt: afternoon }),
    messages,
    turns,
    exportedAt: afternoon + 100,
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
        expect.stringMatching(/^- Started Nov 12, 2026/),
        expect.stringMatching(/^- Exported Nov 12, 2026/),
      ],
    ]);
  });

  it('holds prompts and answers in full, with thinking and calls folded, each result with its call', () => {
    const first = says('a1', { kind: 'thinking', text: 'Hm.' }, 'I look.', {
      kind: 'toolCall',
      callId: 'c1',
      name: 'read_file',
      arguments: '{"path":"a"}',
    });
    const blocks = markdown(
      record([asked('u1', 'Why?'), first, read('no such file', 'failed'), says('a2', 'It is gone.')]),
    );
    expect(blocks.map((block) => block.replace(/ · Nov 12, 2026,[^·]*/, ' · time '))).toEqual([
      '## You · time ',
      'Why?',
      '## Hermes · time · Local/qwen3:8b',
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
    const calls = says('a1', call('c1', 'read_file', {}));
    expect(
      markdown(record([calls, read('before\n````md\ninside')]))
        .slice(2)
        .join('\n'),
    ).toContain('`````\nbefore\n````md\ninside\n`````');
  });

  it('says below a turn how it ended, once, unless it simply finished', () => {
    const messages = [
      asked('u1', 'One'),
      says('a1', 'Half'),
      asked('u2', 'Two', 't2'),
      answer({ uid: 'c2', position: 2, turnUid: 't2', visibility: { kind: 'closing' } }, []),
      asked('u3', 'Three', 't3'),
    ];
    const failed = settledTurn('t2', 'u2', {
      outcome: 'failed',
      stopReason: 'error',
      failure: { cause: 'auth', sentence: 'The key was refused.', technical: '401' },
    });
    expect(
      markdown(
        record(messages, [
          settledTurn('t1', 'u1', { outcome: 'interrupted', stopReason: 'user' }),
          failed,
          settledTurn('t3'),
        ]),
      ).filter((block) => !block.startsWith('##')),
    ).toEqual(['One', 'Half', '> Stopped by you.', 'Two', '> The key was refused.', 'Three\n']);
  });

  it('says why hidden rows are hidden, and folds a summary', () => {
    const visibility = { kind: 'hidden', reason: 'edited', absorbedInto: null } as const;
    const hidden = prompt({ uid: 'u1', position: 1, visibility }, 'Old words');
    const handoff: Message = {
      ...prompt({ uid: handoffUid('s1'), position: 1, visibility: { kind: 'handoff' } }, ''),
      turnUid: null,
      parts: [handoffPart('What was said.', { before: 900, after: 100 })],
    };
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
