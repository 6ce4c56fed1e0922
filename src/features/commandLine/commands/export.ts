import { join, resolve } from 'node:path';
import { ExportRegister } from '../../history/core/export/exportRegister';
import { exportOptions } from '../../history/core/export/output/exportOptions';
import { exportFormats, type ExportFormat, type ExportRequest } from '../../history/core/export/exportFile';
import type { ExportScope } from '../../history/core/export/sessionScope';
import { exportStore, useSecretBundle } from '../../history/core/export/storeExport';
import {
  sizeText,
  UsageError,
  type Command,
  type ExitCode,
  type OptionValues,
  type Terminal,
  rescueText,
} from './command';
import { assertWritable, givenStore, readingTools } from './givenPaths';

const reducing = ['no-tool-output', 'no-thinking', 'no-images', 'hidden'] as const;

/** Writes sessions to a file. */
export const exportCommand: Command = {
  name: 'export',
  summary: 'Exports sessions to a file.',
  help: [
    'hermes-history export --store <folder> --format <format> --out <file> --all|--session <id>…|--folder <folder>',
    '',
    `  --format <format>   ${exportFormats.join(', ')}`,
    '  --session <id>      this conversation, with its sub-agents; repeat it for more',
    '  --folder <folder>   sessions of this folder',
    '  --all               every session',
    '  --out <file>        appears whole or not at all; replaces a file of that name',
    '  --no-tool-output    without the results of tools',
    '  --no-thinking       without the thinking of models',
    '  --no-images         without images',
    '  --hidden            also hidden messages and earlier versions',
    '  --keep-secrets      keeps passwords and keys, which are masked otherwise',
    '',
    'json holds everything and can be imported again. It is complete only with --keep-secrets.',
  ],
  options: {
    store: { type: 'string' },
    format: { type: 'string' },
    session: { type: 'string', multiple: true },
    folder: { type: 'string' },
    all: { type: 'boolean' },
    out: { type: 'string' },
    'no-tool-output': { type: 'boolean' },
    'no-thinking': { type: 'boolean' },
    'no-images': { type: 'boolean' },
    hidden: { type: 'boolean' },
    'keep-secrets': { type: 'boolean' },
  },
  run: async (terminal, options, words) => {
    if (words.length > 0) throw new UsageError(`"${words[0]}" is not an option of export.`);
    return exportSessions(terminal, givenStore(terminal, options), requestOf(terminal, options));
  },
};

async function exportSessions(terminal: Terminal, store: string, request: ExportRequest): Promise<ExitCode> {
  useSecretBundle(join(terminal.programFolder, 'secretlint.js'), () =>
    terminal.note('Secrets are masked by fewer rules than usual.'),
  );
  const deps = await readingTools(terminal);
  const options = exportOptions(terminal.clock.now, terminal.signal, progressLines(terminal));
  const { sessions, sessionIds, maskedSecrets, bytes, salvaged } = await exportStore(
    deps,
    store,
    request,
    options,
    true,
  );
  noteFile(terminal, new ExportRegister(deps.fileSystem, store, terminal.clock.now), request.path, sessionIds);
  terminal.result({ path: request.path, sessions, sessionIds, bytes, maskedSecrets, isSalvaged: salvaged !== null });
  terminal.print(`Exported ${sessions} sessions, ${sizeText(bytes)}, to ${request.path}.`);
  if (maskedSecrets > 0) terminal.print(`Masked ${maskedSecrets} secrets.`);
  if (request.format === 'json' && request.masksSecrets)
    terminal.print('The file is not complete, because secrets are masked and the contents of changed files left out.');
  if (salvaged === null) return 0;
  terminal.note(`The file that holds these sessions is damaged: only what can be read was exported. ${rescueText}`);
  return 1;
}

/** Notes the file beside the store, so that forgetting a session reaches it. The export stands if that fails. */
function noteFile(terminal: Terminal, register: ExportRegister, path: string, sessionIds: readonly string[]): void {
  try {
    register.noteExport(path, sessionIds);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    terminal.note(`Forgetting a session will not reach this file, because it could not be noted: ${reason}`);
  }
}

function requestOf(terminal: Terminal, options: OptionValues): ExportRequest {
  const { format, out } = options;
  if (typeof out !== 'string') throw new UsageError('Name the file to write: --out <file>.');
  if (!isFormat(format)) throw new UsageError(`Choose a format: ${exportFormats.join(', ')}.`);
  const given = reducing.filter((name) => options[name] === true);
  if (format === 'json' && given.length > 0) throw new UsageError(`json keeps everything: leave out --${given[0]}.`);
  const path = resolve(terminal.folder, out);
  assertWritable(path);
  return {
    format,
    scope: scopeOf(terminal, options),
    path,
    leftOut: {
      toolOutput: options['no-tool-output'] === true,
      thinking: options['no-thinking'] === true,
      images: options['no-images'] === true,
      hidden: options['hidden'] !== true,
    },
    masksSecrets: options['keep-secrets'] !== true,
    language: 'en',
  };
}

function isFormat(name: OptionValues[string]): name is ExportFormat {
  return exportFormats.some((format) => format === name);
}

function scopeOf(terminal: Terminal, { all, session, folder }: OptionValues): ExportScope {
  const ids = Array.isArray(session) ? session.map(String) : [];
  if ([all === true, ids.length > 0, typeof folder === 'string'].filter(Boolean).length !== 1)
    throw new UsageError('Choose one of --all, --session <id> and --folder <folder>.');
  if (all === true) return { kind: 'all' };
  return typeof folder === 'string'
    ? { kind: 'folder', folder: resolve(terminal.folder, folder) }
    : { kind: 'sessions', ids };
}

function progressLines(terminal: Terminal): (progress: { readonly done: number; readonly total: number }) => void {
  let next = terminal.clock.monotonicMs() + 1000;
  return ({ done, total }) => {
    const now = terminal.clock.monotonicMs();
    if (now < next) return;
    next = now + 1000;
    terminal.note(`${done} of ${total} sessions`);
  };
}
