import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codePrompt, filesPrompt, problemPrompt, type QuotedCode, terminalPrompt } from '../../../../src/host/knowledge/promptText';

const code = (over: Partial<QuotedCode> = {}): QuotedCode => ({ shown: 'src/a.ts', startLine: 3, endLine: 4, text: 'a();\nb();\n', language: 'typescript', ...over });

describe('what entry points put into the composer', () => {
  it('is the place and the code', () => {
    expect(codePrompt('', code())).toBe('`src/a.ts:3-4`\n```typescript\na();\nb();\n```\n');
    expect(codePrompt('Fix', code({ endLine: 3, text: 'a();', language: '' }))).toBe('Fix `src/a.ts:3`\n```\na();\n```\n');
  });

  it('is the place alone where there is nothing to quote, or too much', () => {
    expect([codePrompt('', code({ text: ' \n' })), codePrompt('', code({ text: 'x'.repeat(20_001) }))]).toEqual(['`src/a.ts:3-4`\n', '`src/a.ts:3-4`\n']);
  });

  it('cannot be ended by what it quotes', () => {
    expect(codePrompt('', code({ text: '```ts\n````', language: 'markdown' }))).toBe('`src/a.ts:3-4`\n`````markdown\n```ts\n````\n`````\n');
  });

  it('names problems with the code around them', () => {
    const problem = { path: '/w/src/a.ts', line: 3, column: 1, severity: 'error' as const, message: 'no\nname', source: 'ts 2304' };
    expect(problemPrompt('Fix this problem in', code(), [problem])).toBe('Fix this problem in `src/a.ts:3-4`\n```typescript\na();\nb();\n```\n- src/a.ts:3:1 error: no name (ts 2304)\n');
  });

  it('names files, one in a line, several as a list', () => {
    expect([filesPrompt(['src/']), filesPrompt(['a.ts', 'b.ts'])]).toEqual(['`src/` ', '- `a.ts`\n- `b.ts`\n']);
  });

  it('quotes a terminal without its padding, the end of it where it is long', () => {
    expect(terminalPrompt('In zsh:', '\r\n$ npm test   \r\nfailed\r\n')).toBe('In zsh:\n```\n$ npm test\nfailed\n```\n');
    expect(terminalPrompt('In zsh:', `${'x'.repeat(30_000)}end`)).toMatch(/^In zsh:\n```\n…\nx{19997}end\n```\n$/);
  });
});

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly submenus: readonly { readonly id: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command?: string; readonly submenu?: string; readonly when?: string }[]>>;
  };
}

describe('the menus of the editor', () => {
  const { contributes }: Manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../../../package.json', import.meta.url)), 'utf8'));
  const menu = (name: string) => (contributes.menus[name] ?? []).map(({ command, submenu, when }) => `${command ?? submenu ?? ''}${when === undefined ? '' : ` when ${when}`}`);

  it('offer Hermes where there is something to ask about', () => {
    expect({ editor: menu('editor/context'), below: menu('hermes.editor'), explorer: menu('explorer/context'), terminal: menu('terminal/context') }).toEqual({
      editor: ['hermes.editor when editorHasSelection'],
      below: ['hermes.askAboutSelection', 'hermes.explainSelection', 'hermes.fixSelection'],
      explorer: ['hermes.askAboutFile when !explorerResourceIsFolder', 'hermes.askAboutFolder when explorerResourceIsFolder'],
      terminal: ['hermes.askAboutTerminalSelection when terminalTextSelected || terminalTextSelectedInFocused'],
    });
  });

  it('name only commands and submenus that are there', () => {
    const known = new Set([...contributes.commands.map(({ command }) => command), ...contributes.submenus.map(({ id }) => id)]);
    expect(Object.values(contributes.menus).flat().map(({ command, submenu }) => command ?? submenu ?? '').filter((name) => !known.has(name))).toEqual([]);
  });
});
