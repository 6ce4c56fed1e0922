import { describe, expect, test } from 'vitest';
import type { OfferedPrompt } from '../../../../../src/protocol/chatProtocol';
import { commandGroups } from '../../../../../src/webview/chat/composer/suggestionGroups';
import { offeredText } from '../../../../../src/webview/chat/composer/SuggestionList';
import {
  completed,
  offeredCommands,
  parseSlash,
  refusalText,
  slashCommands,
} from '../../../../../src/webview/chat/composer/slashCommands';

const withPrompts = (promptFiles: readonly OfferedPrompt[]) => ({ features: null, promptFiles });

describe('a text in the composer', () => {
  test.each([
    ['/stop', { kind: 'command', name: 'stop', text: '' }],
    ['/Stop  \n', { kind: 'command', name: 'stop', text: '' }],
    ['/queue also the docs', { kind: 'command', name: 'queue', text: 'also the docs' }],
    ['/steer\nfirst line\n\nsecond line\n', { kind: 'command', name: 'steer', text: 'first line\n\nsecond line' }],
    ['/title  Fix /usr/bin ', { kind: 'command', name: 'title', text: 'Fix /usr/bin' }],
    ['/compress', { kind: 'command', name: 'compress', text: '' }],
    ['/compress the names', { kind: 'command', name: 'compress', text: 'the names' }],
    ['/queue', { kind: 'incomplete', name: 'queue' }],
    ['/queue   ', { kind: 'incomplete', name: 'queue' }],
    ['/new idea for the parser', { kind: 'excess', name: 'new' }],
    ['/undo 2', { kind: 'command', name: 'undo', text: '2' }],
    ['/redo', { kind: 'unknown', name: 'redo' }],
    ['/größe ändern', { kind: 'unknown', name: 'größe' }],
    ['/', { kind: 'unknown', name: '' }],
    ['/usr/bin/node is missing', { kind: 'prompt' }],
    ['// why is this here?', { kind: 'prompt' }],
    ['/* old */', { kind: 'prompt' }],
    ['/etc.conf', { kind: 'prompt' }],
    [' /stop', { kind: 'prompt' }],
    ['What does /stop do?', { kind: 'prompt' }],
  ])('%j', (typed, expected) => {
    expect(parseSlash(typed)).toEqual(expected);
  });

  test.each([
    ['/review src/a.ts', { kind: 'prompt' }],
    ['/Code-Review', { kind: 'prompt' }],
    ['/stop', { kind: 'command', name: 'stop', text: '' }],
    ['/reviews', { kind: 'unknown', name: 'reviews' }],
  ])('may name a prompt file of the project: %j', (typed, expected) => {
    const file = (name: string) => ({ name, description: null, argumentHint: null });
    expect(parseSlash(typed, withPrompts([file('review'), file('code-review'), file('stop')]))).toEqual(expected);
  });

  test('may name a prompt of an MCP server, with its first arguments', () => {
    const prompts = withPrompts([
      { name: 'mcp_x_ask', description: 'x · Ask', argumentHint: '[city]', kind: 'server' },
    ]);
    const named = { kind: 'serverPrompt', name: 'mcp_x_ask' };
    const picked = offeredCommands('/mcp', prompts).map(completed);
    expect([parseSlash('/mcp_x_ask New York ', prompts), parseSlash('/mcp_x_ask', prompts), picked]).toEqual([
      { ...named, text: 'New York' },
      { ...named, text: '' },
      ['/mcp_x_ask'],
    ]);
  });

  test('that is no command is refused with the list of commands', () => {
    expect(refusalText({ kind: 'unknown', name: 'redo' })).toBe(
      '/redo is not a command. Nothing was sent. Type a space before / to send this as text. Commands: ' +
        '/new /reset /resume /branch /undo /retry /compress /title /search /model /memory /queue /steer /' +
        'stop /export /help.',
    );
  });
});

describe('commands are offered', () => {
  test('of an agent, also with a blank or a sign in their names, and none with the name of one of ours', () => {
    const command = (name: string) => ({ name, description: '', argumentHint: null, kind: 'command' as const });
    const commands = withPrompts(['Deploy', 'memory show', '$skill', 'stop'].map(command));
    const names = (typed: string) => offeredCommands(typed, commands).map(({ name }) => name);
    expect([names('/de'), names('/mem'), names('/$')]).toEqual([['Deploy'], ['memory', 'memory show'], ['$skill']]);
    expect(commandGroups(offeredCommands('/mem', commands)).map(({ name }) => name)).toEqual([
      'Commands',
      'Commands of the Agent',
    ]);
    for (const typed of ['/Deploy now', '/$skill']) expect(parseSlash(typed, commands)).toEqual({ kind: 'prompt' });
  });

  test.each([
    ['/', slashCommands.map(({ name }) => name)],
    ['/st', ['steer', 'stop']],
    ['/RE', ['reset', 'resume', 'retry']],
    ['/x', []],
    ['/steer ', []],
    ['', []],
    ['a /st', []],
  ])('while %j is typed: %j', (typed, names) => {
    expect(offeredCommands(typed).map(({ name }) => name)).toEqual(names);
  });

  test('beside the prompt files of the project, which describe their purpose', () => {
    const offered = offeredCommands(
      '/re',
      withPrompts([
        { name: 'review', description: 'Review a file', argumentHint: '[file]' },
        { name: 'release-notes', description: null, argumentHint: null },
        { name: 'reset', description: 'would never run', argumentHint: null },
        { name: 'fix', description: null, argumentHint: null },
      ]),
    );
    expect(offered.slice(3).map((one) => [completed(one), offeredText(one)])).toEqual([
      ['/review ', 'Review a file · [file]'],
      ['/release-notes', 'Project prompt file'],
    ]);
    expect(
      offeredCommands('/release-n', withPrompts([{ name: 'release-notes', description: null, argumentHint: null }]))
        .length,
    ).toBe(1);
  });

  test('only of features that the product has', () => {
    const offering = { features: ['history', 'transcript'], promptFiles: [] };
    expect([
      offeredCommands('/', offering).filter(({ name }) => ['search', 'memory', 'export', 'stop'].includes(name)),
      parseSlash('/search the timer', offering),
      refusalText({ kind: 'unknown', name: 'search' }, offering).includes('/memory'),
    ]).toEqual([
      [
        { name: 'stop', takes: 'nothing' },
        { name: 'export', takes: 'nothing', feature: 'history' },
      ],
      { kind: 'unknown', name: 'search' },
      false,
    ]);
  });

  test('and, when picked, leave room for a text', () => {
    expect(offeredCommands('/st').map(completed)).toEqual(['/steer ', '/stop']);
  });
});
