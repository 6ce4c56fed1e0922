import { describe, expect, test } from 'vitest';
import { recalledLabels } from '../../../../src/webview/turnLabels';
import { isLowValueRead, toolLabels } from '../../../../src/webview/toolLabels';

describe('memory recalled for a prompt', () => {
  test.each([
    [[], []],
    [[{ provider: 'a', label: 'Hindsight', count: 1 }], ['Recalled 1 memory']],
    [
      [
        { provider: 'a', label: 'Hindsight', count: 2 },
        { provider: 'b', label: 'Notes', count: 1 },
      ],
      ['Recalled 3 memories'],
    ],
    [[{ provider: 'a', label: 'Recalled your profile', count: 0 }], ['Recalled your profile']],
    [[{ provider: 'a', label: '', count: 0 }], []],
  ])('%j is shown as %j', (found, words) => {
    expect(recalledLabels(found)).toEqual(words);
  });
});

describe('calls of memory', () => {
  test.each([
    ['memory', { action: 'add', content: 'uses pnpm' }, 'done', 'Updated memory uses pnpm'],
    ['memory', { action: 'remove', old_text: 'pnpm' }, 'running', 'Updating memory pnpm'],
    ['session_search', { query: 'retry timer' }, 'done', 'Searched earlier sessions “retry timer”'],
    ['session_search', {}, 'done', 'Searched earlier sessions '],
    ['read_skill', { name: 'release' }, 'done', 'Read skill release'],
  ] as const)('%s %j, %s, reads %j and is not folded with others', (name, args, state, words) => {
    const { verb, target } = toolLabels(
      { kind: 'toolCall', callId: 'c', name, arguments: JSON.stringify(args) },
      state,
    );
    expect([`${verb} ${target}`, isLowValueRead(name)]).toEqual([words, false]);
  });
});
