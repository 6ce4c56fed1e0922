import * as vscode from 'vscode';
import { Emitter, type Disposable } from '../../../base/disposable';

/** URI scheme of documents that show a file's content before a turn. The content comes from the store, so an editor
 *  restored after a reload shows it again. */
export const beforeScheme = 'hermes-before';

/** URI of a file as it was before a turn. With a null `turnUid`, an empty document that represents a deleted file.
 *  The path keeps its name, so that the editor detects the language. */
export function beforeUri(path: string, turnUid: string | null): vscode.Uri {
  return vscode.Uri.file(path).with({
    scheme: beforeScheme,
    query: turnUid === null ? '' : new URLSearchParams({ turn: turnUid, path }).toString(),
  });
}

/** URI of a file as the user has accepted it: see `ChangedFiles.accepted`. */
export function acceptedUri(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: beforeScheme, query: new URLSearchParams({ path }).toString() });
}

type ReadBefore = (turnUid: string, path: string) => Promise<Uint8Array | null>;

/** Serves those documents as bytes, so that the editor decodes text and shows images. Read-only. */
export class BeforeFiles implements vscode.FileSystemProvider, Disposable {
  private readonly versions = new Map<string, number>();
  private readonly changes = new Emitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]> = (listener, self, owner) => {
    const listening = this.changes.event((events) => listener.call(self, events));
    owner?.push(listening);
    return listening;
  };

  readonly readDirectory = refuse;
  readonly createDirectory = refuse;
  readonly writeFile = refuse;
  readonly delete = refuse;
  readonly rename = refuse;

  constructor(
    private readonly read: ReadBefore,
    private readonly accepted: (path: string) => Promise<Uint8Array | null>,
  ) {}

  /** The accepted text of a file is another one now. */
  acceptedChanged(path: string): void {
    const key = acceptedUri(path).toString();
    this.versions.set(key, (this.versions.get(key) ?? 0) + 1);
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri: acceptedUri(path) }]);
  }

  watch(): vscode.Disposable {
    // Past content of a file never changes; `acceptedChanged` tells of the rest.
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { length } = await this.readFile(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      // VS Code reads again what has another time.
      mtime: this.versions.get(uri.toString()) ?? 0,
      size: length,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const query = new URLSearchParams(uri.query);
    const [turnUid, path] = [query.get('turn'), query.get('path')];
    if (path === null) return new Uint8Array();
    return (turnUid === null ? await this.accepted(path) : await this.read(turnUid, path)) ?? new Uint8Array();
  }

  dispose(): void {
    this.changes.dispose();
  }
}

function refuse(): never {
  throw vscode.FileSystemError.NoPermissions();
}
