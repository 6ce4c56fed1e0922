import { describe, expect, it } from 'vitest';
import {
  aboutCode,
  aboutFiles,
  aboutProblems,
  aboutTerminal,
  type PointedAt,
  type QuotedCode,
} from '../../../../src/host/attachments/promptText';

const code = (over: Partial<QuotedCode> = {}): QuotedCode => ({
  shown: 'src/a.ts',
  startLine: 3,
  endLine: 4,
  text: 'a();\nb();\n',
  language: 'typescript',
  ...over,
});

describe('what entry points put in the composer', () => {
  const along = (label: string, text: string) => [{ kind: 'attachment', source: `file:${label}`, label, text }];

  it('is the code as a chip, and its place in words when the user asks something about it', () => {
    expect([aboutCode('', code()), aboutCode('Fix', code({ endLine: 3, text: 'a();' }))]).toEqual([
      { text: '', parts: along('src/a.ts:3-4', 'a();\nb();') },
      { text: 'Fix `src/a.ts:3`\n', parts: along('src/a.ts:3', 'a();') },
    ]);
  });

  it('is visible text if it may hold secrets, and the quoted code cannot close its fence', () => {
    expect(aboutCode('', code({ shown: '.env', text: '```\nKEY=1', language: 'dotenv' }))).toEqual({
      text: '`.env:3-4`\n````dotenv\n```\nKEY=1\n````\n',
      parts: [],
    });
  });

  it('names problems, with the code around them as a chip', () => {
    const problem = {
      path: '/w/src/a.ts',
      line: 3,
      column: 1,
      severity: 'error' as const,
      message: 'no\nname',
      source: 'ts 2304',
    };
    expect(aboutProblems('Fix this problem in', code(), [problem])).toEqual({
      text: 'Fix this problem in `src/a.ts:3-4`\n- src/a.ts:3:1 error: no name (ts 2304)\n',
      parts: along('src/a.ts:3-4', 'a();\nb();'),
    });
  });

  it('attaches files and folders, and names those it may not read', () => {
    const at = (shown: string, over: Partial<PointedAt> = {}): PointedAt => ({
      shown,
      isFolder: shown.endsWith('/'),
      isInside: true,
      ...over,
    });
    expect([
      aboutFiles([at('src/')]),
      aboutFiles([at('a.ts'), at('.env'), at('/elsewhere/b.ts', { isInside: false })]),
    ]).toEqual([
      { text: '', parts: [{ kind: 'mention', source: 'folder:src', label: 'src/' }] },
      { text: '- `.env`\n- `/elsewhere/b.ts`\n', parts: [{ kind: 'mention', source: 'file:a.ts', label: 'a.ts' }] },
    ]);
  });

  it('attaches a terminal without its padding, and only its end if it is long', () => {
    const terminal = (text: string) => aboutTerminal('Terminal zsh', text).parts[0];
    expect(terminal('\r\n$ npm test   \r\nfailed\r\n')).toEqual({
      kind: 'attachment',
      source: 'terminal',
      label: 'Terminal zsh',
      text: '$ npm test\nfailed',
    });
    expect(terminal(`${'x'.repeat(30_000)}end`)).toMatchObject({ text: expect.stringMatching(/^…\nx{19997}end$/) });
  });
});
