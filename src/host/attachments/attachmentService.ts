import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { type Disposable, Emitter, Owner } from '../../base/disposable';
import { errorMessage } from '../../base/errorMessage';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import {
  type Attached,
  type CurrentFile,
  type FoundMentions,
  type Pinned,
  maxImages,
  maxParts,
} from '../../protocol/attachmentProtocol';
import type { ModelRow } from '../../protocol/chatProtocol';
import { AccessPaths } from '../../tools/accessPaths';
import { gitCommand } from '../../tools/knowledge/git/gitCommand';
import { isSecret } from '../../tools/pathTreatment';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { WorkspacePaths } from '../../tools/workspacePaths';
import type { DraftPart, SentPart, MentionPart } from '../../transcript/draftPart';
import { MentionError } from '../common/describeError';
import type { Slot } from '../common/slot';
import { gitExecutable } from '../knowledge/gitExecutable';
import { VscodeKnowledge, terminalSelection } from '../knowledge/vscodeKnowledge';
import { CurrentFileOffer } from './currentFileOffer';
import { FileNames, mostNames } from './fileNames';
import type { MentionDeps, ServerContent, TerminalText, Selection } from './mentionDeps';
import { MentionReading, contentOf, secretRefused, tooLarge } from './mentionReading';
import { MentionSearch } from './mentionSearch';
import { readSource } from './mentionSource';
import type { MentionableSessions } from './sessionMention';

/** Tracks the file and the selection of the text editor that the user used last: while they type into a chat in an
 *  editor tab, no text editor is active. */
class LastSelection extends Owner {
  private editor = vscode.window.activeTextEditor;
  private readonly changed = new Emitter<undefined>();

  constructor() {
    super();
    const own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
    const changed = (): void => this.changed.fire(undefined);
    own(this.changed);
    own(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor !== undefined) this.editor = editor;
        changed();
      }),
    );
    own(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => void (textEditor === this.shown && changed())),
    );
    own(vscode.workspace.onDidCloseTextDocument(changed));
  }

  /** Fires often: at every move of the cursor. */
  readonly onDidChange = this.changed.event;

  /** Absolute path of the file in the editor. Null: there is none, or it is not a file. */
  get file(): string | null {
    const uri = this.shown?.document.uri;
    return uri !== undefined && isFile(uri) ? uri.fsPath : null;
  }

  /** Null: nothing is selected. */
  get current(): Selection | null {
    const editor = this.shown;
    if (editor === undefined) return null;
    const { document, selection } = editor;
    const text = document.getText(selection);
    if (text.trim() === '' || document.uri.scheme === 'output') return null;
    // A selection of whole lines ends at the start of the next line; leave that line out.
    const lastLine =
      selection.end.line > selection.start.line && selection.end.character === 0
        ? selection.end.line - 1
        : selection.end.line;
    return {
      path: isFile(document.uri) ? document.uri.fsPath : document.fileName,
      isFile: isFile(document.uri),
      startLine: selection.start.line + 1,
      endLine: lastLine + 1,
      text,
    };
  }

  private get shown(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor ?? this.editor;
    return editor === undefined || editor.document.isClosed ? undefined : editor;
  }
}

function isFile(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' || vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

/** A file or folder that the user picked or dropped. */
export interface PickedFile {
  /** Path as shown to the user; relative to its open folder if it has one. */
  readonly shown: string;
  /** True when it is inside an open folder: it is then read when the prompt is sent. */
  readonly isInside: boolean;
  readonly kind: 'file' | 'directory' | 'other' | null;
  size(): Promise<number>;
  read(): Promise<Uint8Array>;
}

const maxBytes = 10 * 1024 * 1024;

/** Turns picked files into parts of a draft. Files inside the open folders become mentions. Any other file is read
 *  now, because picking it is what allows the read. */
export async function attachedFiles(picked: readonly (PickedFile | { readonly problem: string })[]): Promise<Attached> {
  const parts: DraftPart[] = [];
  const problems: string[] = [];
  for (const each of picked) {
    try {
      if ('problem' in each) problems.push(each.problem);
      else parts.push(await attached(each));
    } catch (error) {
      const shown = 'problem' in each ? '' : each.shown;
      problems.push(
        error instanceof MentionError
          ? error.message
          : t('Couldn’t read {label}: {reason}', {
              label: shown,
              reason: errorMessage(error),
            }),
      );
    }
  }
  return { parts, problems };
}

async function attached(file: PickedFile): Promise<DraftPart> {
  const { shown, isInside, kind } = file;
  if (kind === 'directory') {
    if (!isInside)
      throw new MentionError(
        t('{label} is a folder outside your workspace. Attach individual files instead.', { label: shown }),
      );
    return { kind: 'mention', source: `folder:${shown}`, label: `${shown}/` };
  }
  if (kind === null)
    throw new MentionError(t('{label} no longer exists. Remove it, or mention something else.', { label: shown }));
  if (isSecret(shown)) throw secretRefused(shown);
  if (isInside) return { kind: 'mention', source: `file:${shown}`, label: shown };
  if ((await file.size()) > maxBytes) throw tooLarge(shown);
  return contentOf(await file.read(), { label: shown, source: `file:${shown}`, lines: null });
}

interface AttachmentsWindow {
  readonly files: WorkspaceFiles;
  readonly history: { readonly store: MentionableSessions };
  readonly servers: Pick<Slot<{ readonly offers: ServerContent }>, 'current'>;
  readonly terminal: { lastOutput(characters: number): TerminalText | null };
  readonly clock: Clock;
  readonly log: Log;
}

const listTimeoutMs = 60_000;

/** Finds, picks, drops and reads attachments of prompts in this window, through the editor. */
export class AttachmentService extends Owner {
  private readonly names: FileNames;
  private readonly lookedFor: MentionSearch;
  private readonly reading: MentionReading;
  private readonly access: AccessPaths;
  private readonly offer: CurrentFileOffer;
  private isWatching = false;

  constructor(private readonly window: AttachmentsWindow) {
    super();
    const { files, history, clock, log } = window;
    const paths = new WorkspacePaths(files);
    const selections = this.lifetime.register(new LastSelection());
    this.offer = this.lifetime.register(new CurrentFileOffer({ editor: selections, files, clock }));
    this.access = new AccessPaths(files);
    this.names = new FileNames(async () => {
      const found = await files.findFiles(
        { pattern: '**/*', order: 'name', maxFiles: mostNames },
        AbortSignal.timeout(listTimeoutMs),
      );
      return { paths: found.paths.map((path) => paths.display(path)), limited: found.limited };
    }, log);
    const mentionDeps: MentionDeps = {
      files,
      paths,
      sessions: history.store,
      servers: () => this.servers,
      clock,
      access: this.access,
      names: this.names,
      knowledge: new VscodeKnowledge(),
      selection: () => selections.current,
      terminal: () => this.terminalText(),
      hasTerminal: () => vscode.window.terminals.length > 0 || this.lastOutput() !== null,
      git: {
        git: gitCommand({ executable: gitExecutable, startIn: homedir(), environment: process.env }),
        roots: () => files.roots(),
        isTrusted: () => vscode.workspace.isTrusted,
      },
    };
    this.lookedFor = new MentionSearch(mentionDeps);
    this.reading = new MentionReading(mentionDeps, (path) => this.lookedFor.isTypedInFull(path));
  }

  /** Null: nothing can be offered. */
  get currentFile(): CurrentFile | null {
    return this.offer.current;
  }

  onDidChangeCurrentFile(listener: () => void): Disposable {
    return this.offer.onDidChange(listener);
  }

  /** Searches for mentions, best first. An aborted search resolves with the results so far. `whole`: waits longer
   *  rather than leave out a source. */
  search(text: string, limit: number, signal: AbortSignal, whole = false): Promise<FoundMentions> {
    this.watch();
    return this.lookedFor.search(text, limit, signal, whole);
  }

  async pin(source: string): Promise<Pinned> {
    const { servers } = this;
    try {
      const target = readSource(source);
      if (target?.kind === 'template')
        return (await servers?.fill(target.server, target.of).catch(asMentionError)) ?? { kind: 'canceled' };
      const part = await this.reading.read({ kind: 'mention', source, label: source });
      return part.kind === 'attachment'
        ? part
        : { kind: 'problem', problem: t('{label} is an image. Attach it as a file.', { label: source }) };
    } catch (error) {
      if (error instanceof MentionError) return { kind: 'problem', problem: error.message };
      throw error;
    }
  }

  /** Called when the user sees the list of commands: starts what offers more of them. */
  startServers(): void {
    this.servers?.start();
  }

  /** Gets a prompt of an MCP server. `text`: its first arguments. */
  async serverPrompt(name: string, text: string): Promise<Attached> {
    try {
      return (await this.servers?.getPrompt(name, text)) ?? { parts: [], problems: [] };
    } catch (error) {
      if (error instanceof MentionError) return { parts: [], problems: [error.message] };
      throw error;
    }
  }

  /** Lets the user pick files. */
  async pick(): Promise<Attached> {
    const uris = await vscode.window.showOpenDialog({
      canSelectMany: true,
      canSelectFiles: true,
      canSelectFolders: false,
      openLabel: t('Attach'),
    });
    return this.attach(uris ?? []);
  }

  dropped(uris: readonly string[]): Promise<Attached> {
    return this.attach(uris.map(uriOf));
  }

  /** Reads mentioned content in its current state. Rejects with a `MentionError` when something cannot be read or
   *  there is too much; the prompt is then not sent. */
  resolve(parts: readonly DraftPart[]): Promise<readonly SentPart[]> {
    return sendableParts(parts, (mention) => this.reading.read(mention));
  }

  /** Notice for a user who sends these parts to this model. Null: none. */
  noticeOf(parts: readonly SentPart[], model: Pick<ModelRow, 'label' | 'images'> | null): string | null {
    return imageNotice(parts, model);
  }

  private async attach(uris: readonly vscode.Uri[]): Promise<Attached> {
    return attachedFiles(await Promise.all(uris.map((uri) => this.picked(uri))));
  }

  private async picked(uri: vscode.Uri): Promise<PickedFile | { readonly problem: string }> {
    const isOpen = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    // A link dragged out of a browser is not a file.
    if (!isOpen && !vscode.workspace.fs.isWritableFileSystem(uri.scheme))
      return { problem: t('{label} isn’t a file that the editor can read.', { label: uri.toString(true) }) };
    const place =
      uri.scheme === 'file' || isOpen ? await this.access.resolveAccess(uri.fsPath).catch(() => null) : null;
    const kind = await Promise.resolve(vscode.workspace.fs.stat(uri)).then(
      ({ type }) => kindOf(type),
      () => null,
    );
    return {
      shown: place?.shown ?? uri.toString(true),
      isInside: place?.isInside ?? false,
      kind,
      size: async () => (await vscode.workspace.fs.stat(uri)).size,
      read: async () => vscode.workspace.fs.readFile(uri),
    };
  }

  private get servers(): ServerContent | null {
    return this.window.servers.current?.offers ?? null;
  }

  /** Output of the agent's last command. Null: the agent ran none in this window. */
  private lastOutput(): TerminalText | null {
    return this.window.terminal.lastOutput(20_000);
  }

  private async terminalText(): Promise<TerminalText | null> {
    const terminal = vscode.window.activeTerminal;
    const selected = terminal === undefined ? null : await terminalSelection(randomUUID());
    return terminal === undefined || selected === null
      ? this.lastOutput()
      : { label: t('Terminal {name}', { name: terminal.name }), text: selected };
  }

  /** Starts to watch for file changes at the first search: most windows never need the list. */
  private watch(): void {
    if (this.isWatching) return;
    this.isWatching = true;
    const changed = (): void => this.names.changed();
    const watcher = this.lifetime.register(vscode.workspace.createFileSystemWatcher('**/*', false, true, false));
    this.lifetime.register(watcher.onDidCreate(changed));
    this.lifetime.register(watcher.onDidDelete(changed));
    this.lifetime.register(vscode.workspace.onDidChangeWorkspaceFolders(changed));
    this.lifetime.register(
      vscode.workspace.onDidSaveTextDocument(
        ({ uri }) => void (/(^|\/)\.(git|rg)?ignore$/.test(uri.path) && changed()),
      ),
    );
    this.lifetime.register(
      vscode.workspace.onDidChangeConfiguration(
        (event) =>
          void (
            (event.affectsConfiguration('files.exclude') || event.affectsConfiguration('search.exclude')) &&
            changed()
          ),
      ),
    );
  }
}

function asMentionError(error: unknown): never {
  throw new MentionError(errorMessage(error), { cause: error });
}

/** Parses a URI as the editor's pages write it. Files of a remote machine become `file` URIs, because the extension
 *  runs there. */
function uriOf(written: string): vscode.Uri {
  const uri = vscode.Uri.parse(written);
  return uri.scheme === 'vscode-remote' ? vscode.Uri.file(uri.path) : uri;
}

function kindOf(type: vscode.FileType): PickedFile['kind'] {
  if ((type & vscode.FileType.File) !== 0) return 'file';
  return (type & vscode.FileType.Directory) !== 0 ? 'directory' : 'other';
}

/** Resolves the parts that are sent beside a prompt's text: reads all mentions now, in parallel. Rejects with a
 *  `MentionError` when something cannot be read or there is too much. */
export async function sendableParts(
  parts: readonly DraftPart[],
  read: (mention: MentionPart) => Promise<SentPart>,
): Promise<readonly SentPart[]> {
  if (parts.length > maxParts)
    throw new MentionError(
      t('You can send at most {most} attachments with one prompt. Remove some.', { most: String(maxParts) }),
    );
  const sent = await Promise.all(parts.map((part) => (part.kind === 'mention' ? read(part) : part)));
  const images = sent.filter(({ kind }) => kind === 'image').length;
  if (images > maxImages)
    throw new MentionError(
      t('You can send at most {most} images with one prompt. Remove some.', { most: String(maxImages) }),
    );
  return sent;
}

/** Notice for a user who sends images to a model that accepts none. Null: none. */
export function imageNotice(
  parts: readonly SentPart[],
  model: Pick<ModelRow, 'label' | 'images'> | null,
): string | null {
  if (model?.images !== false || !parts.some(({ kind }) => kind === 'image')) return null;
  return t('{model} can’t see images. It is only told that they exist. Choose another model to have it look at them.', {
    model: model.label,
  });
}
