import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { Translate } from '../../base/translate';
import type { Attached, CurrentFile, FoundMentions, Pinned } from '../../protocol/attachmentProtocol';
import type { ModelRow } from '../../protocol/chatProtocol';
import { AccessPaths } from '../../tools/accessPaths';
import { gitCommand } from '../../tools/knowledge/git/gitCommand';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { WorkspacePaths } from '../../tools/workspacePaths';
import type { DraftPart, SentPart } from '../../transcript/draftPart';
import { VscodeKnowledge } from '../knowledge/vscodeKnowledge';
import { gitExecutable } from '../knowledge/gitExecutable';
import { terminalSelection } from '../knowledge/terminalSelection';
import { CurrentFileOffer } from './currentFileOffer';
import { FileNames, mostNames } from './fileNames';
import { attachedFiles, type PickedFile } from './filesFromOutside';
import { LastSelection } from './lastSelection';
import type { MentionDeps, TerminalText } from './mentionDeps';
import { MentionReading } from './mentionReading';
import { MentionSearch } from './mentionSearch';
import { MentionError } from '../common/mentionError';
import type { PromptAttachments } from './promptAttachments';
import { imageNotice, sendableParts } from './sendableParts';
import type { MentionableSessions } from './sessionMention';

interface AttachmentServiceDeps {
  readonly files: WorkspaceFiles;
  readonly sessions: MentionableSessions;
  /** Output of the agent's last command. Null: the agent ran none in this window. */
  readonly lastOutput: () => TerminalText | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly uid: () => string;
  readonly t: Translate;
}

const listTimeoutMs = 60_000;

/** Finds, picks, drops and reads attachments of prompts in this window, through the editor. */
export class AttachmentService implements PromptAttachments, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly names: FileNames;
  private readonly lookedFor: MentionSearch;
  private readonly reading: MentionReading;
  private readonly access: AccessPaths;
  private readonly offer: CurrentFileOffer;
  private isWatching = false;

  constructor(private readonly deps: AttachmentServiceDeps) {
    const { files, sessions, clock, log, t } = deps;
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
      sessions,
      clock,
      t,
      access: this.access,
      names: this.names,
      knowledge: new VscodeKnowledge(),
      selection: () => selections.current,
      terminal: () => this.terminalText(),
      hasTerminal: () => vscode.window.terminals.length > 0 || deps.lastOutput() !== null,
      git: {
        git: gitCommand({ executable: gitExecutable, startIn: homedir(), environment: process.env }),
        roots: () => files.roots(),
        isTrusted: () => vscode.workspace.isTrusted,
      },
    };
    this.lookedFor = new MentionSearch(mentionDeps);
    this.reading = new MentionReading(mentionDeps, (path) => this.lookedFor.isTypedInFull(path));
  }

  get currentFile(): CurrentFile | null {
    return this.offer.current;
  }

  onDidChangeCurrentFile(listener: () => void): Disposable {
    return this.offer.onDidChange(listener);
  }

  search(text: string, limit: number, signal: AbortSignal, whole = false): Promise<FoundMentions> {
    this.watch();
    return this.lookedFor.search(text, limit, signal, whole);
  }

  async pin(source: string): Promise<Pinned> {
    const { t } = this.deps;
    try {
      const part = await this.reading.read({ kind: 'mention', source, label: source });
      return part.kind === 'attachment'
        ? part
        : { kind: 'problem', problem: t('{label} is an image. Attach it as a file.', { label: source }) };
    } catch (error) {
      if (error instanceof MentionError) return { kind: 'problem', problem: error.message };
      throw error;
    }
  }

  async pick(): Promise<Attached> {
    const uris = await vscode.window.showOpenDialog({
      canSelectMany: true,
      canSelectFiles: true,
      canSelectFolders: false,
      openLabel: this.deps.t('Attach'),
    });
    return this.attach(uris ?? []);
  }

  dropped(uris: readonly string[]): Promise<Attached> {
    return this.attach(uris.map(uriOf));
  }

  resolve(parts: readonly DraftPart[]): Promise<readonly SentPart[]> {
    return sendableParts(parts, (mention) => this.reading.read(mention), this.deps.t);
  }

  noticeOf(parts: readonly SentPart[], model: Pick<ModelRow, 'label' | 'images'> | null): string | null {
    return imageNotice(parts, model, this.deps.t);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async attach(uris: readonly vscode.Uri[]): Promise<Attached> {
    return attachedFiles(await Promise.all(uris.map((uri) => this.picked(uri))), this.deps.t);
  }

  private async picked(uri: vscode.Uri): Promise<PickedFile | { readonly problem: string }> {
    const isOpen = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    // A link dragged out of a browser is not a file.
    if (!isOpen && !vscode.workspace.fs.isWritableFileSystem(uri.scheme))
      return { problem: this.deps.t('{label} is no file that the editor can read.', { label: uri.toString(true) }) };
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

  private async terminalText(): Promise<TerminalText | null> {
    const { uid, lastOutput, t } = this.deps;
    const terminal = vscode.window.activeTerminal;
    const selected = terminal === undefined ? null : await terminalSelection(uid());
    return terminal === undefined || selected === null
      ? lastOutput()
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
