import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { HermesExtension } from '../../../../src/features/api/core/hermes';
import type { ExtensionApi } from '../../../../src/features/api/core/extensionApi';
import { EXTENSION_ID } from '../../../support/extensionId';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const published = path.join(root, 'src/features/api/core/hermes.d.ts');

/** Of the language and of @types: the same for every program. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** What is wrong with a program of another extension that has nothing of ours but the published types, in
 *  `hermes.d.ts` beside it. */
function problems(source: string, name = 'extension.ts'): readonly string[] {
  const folder = path.join(root, 'consumer');
  const files = new Map([
    [path.join(folder, name), source],
    [path.join(folder, 'hermes.d.ts'), readFileSync(published, 'utf8')],
  ]);
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowJs: true,
    checkJs: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ['node', 'vscode'],
    typeRoots: [path.join(root, 'node_modules/@types')],
  };
  const host = ts.createCompilerHost(options);
  host.directoryExists = (directory) => path.normalize(directory) === folder || ts.sys.directoryExists(directory);
  const [fileExists, readFile, getSourceFile] = [
    host.fileExists.bind(host),
    host.readFile.bind(host),
    host.getSourceFile.bind(host),
  ];
  host.fileExists = (file) => files.has(path.normalize(file)) || fileExists(file);
  host.readFile = (file) => files.get(path.normalize(file)) ?? readFile(file);
  host.getSourceFile = (file, language) => {
    const text = files.get(path.normalize(file));
    if (text !== undefined) return ts.createSourceFile(file, text, language, true);
    if (!parsed.has(file)) parsed.set(file, getSourceFile(file, language));
    return parsed.get(file);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const ours = program.getSourceFiles().filter(({ fileName }) => files.has(path.normalize(fileName)));
  const beside = program
    .getSourceFiles()
    .map(({ fileName }) => fileName)
    .filter((file) => file.startsWith(path.join(root, 'src')) || file.startsWith(path.join(root, 'test')));
  const found = [
    ...program.getOptionsDiagnostics(),
    ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  return [
    ...beside,
    ...found.map(({ messageText, start, file }) => {
      const line = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
      const place = file === undefined ? '' : `${path.basename(file.fileName)}:${line + 1} `;
      return place + ts.flattenDiagnosticMessageText(messageText, ' ');
    }),
  ];
}

describe('hermes.d.ts', () => {
  it('is the type that activate() returns', () => {
    expectTypeOf<ExtensionApi['exports']>().toEqualTypeOf<HermesExtension>();
  });

  it('is all that another extension needs', () => {
    const source = `
      import * as vscode from 'vscode';
      import type { HermesApi, HermesExtension, MemoryProvider, SettledTurn, TurnEvent } from './hermes';
      class Notes implements MemoryProvider {
        initialize(sessionId: string, signal: AbortSignal): void { signal.throwIfAborted(); void sessionId; }
        async syncTurn({ prompt, turnId }: { readonly prompt: string; readonly turnId: string }, signal: AbortSignal) { await fetch('http://127.0.0.1', { signal, body: prompt + turnId }); }
        readonly tools = [{ name: 'notes', description: 'Finds notes.', parameters: { type: 'object' }, readOnly: true, run: async (input: { readonly [key: string]: unknown }) => String(input['query']) }];
      }
      function settled(event: TurnEvent): SettledTurn | null {
        switch (event.kind) {
          case 'settled': return event.turn;
          case 'opened': case 'delivered': case 'stored': return null;
        }
      }
      export async function activate(context: vscode.ExtensionContext): Promise<void> {
        const hermes: HermesApi | undefined = (await vscode.extensions.getExtension<HermesExtension>('${EXTENSION_ID}')?.activate())?.getApi(1);
        if (!hermes) return;
        const registration = hermes.registerMemoryProvider({ name: 'notes', create: () => new Notes() });
        context.subscriptions.push(registration, hermes.onTurnEvent(settled), hermes.onDidSwitchSession(({ reason }) => console.log(reason)));
        const page = await hermes.sessions.list({ limit: 10 });
        const last = page.at(-1);
        if (last) await hermes.sessions.list({ before: last });
      }`;
    expect(problems(source)).toEqual([]);
  });

  it('matches the example in docs/api.md', () => {
    const examples = [
      ...readFileSync(path.join(root, 'docs/api.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g),
    ].flatMap(([, code]) => code ?? []);
    expect([examples.length > 0, ...examples.flatMap((code) => problems(code))]).toEqual([true]);
  });

  it('matches the extension that the tests use', () => {
    const source = readFileSync(path.join(root, 'test/support/extensions/memory-log/extension.js'), 'utf8').replaceAll(
      '../../../../src/features/api/core/hermes',
      './hermes',
    );
    expect(problems(source, 'extension.js')).toEqual([]);
  });
});
