import type { Clock } from '../../base/clock';
import { Emitter, type Disposable } from '../../base/disposable';
import type { CurrentFile } from '../../protocol/attachmentProtocol';
import { holdsSecrets } from '../../tools/secretFiles';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { WorkspacePaths } from '../../tools/workspacePaths';
import type { Selection } from './mentionDeps';
import { withLines } from './mentionSource';

/** The text editor that the user used last. */
interface UsedEditor {
  /** Absolute path. Null: no editor, or none with a file. */
  readonly file: string | null;
  /** Null: nothing is selected. */
  readonly current: Selection | null;
  onDidChange(listener: () => void): Disposable;
}

interface CurrentFileDeps {
  readonly editor: UsedEditor;
  readonly files: WorkspaceFiles;
  readonly clock: Clock;
}

/** Milliseconds without a change before the offer changes: the cursor moves at every key. */
const quietMs = 200;

/** Offers the file that the user works on, or the selection in it, as an attachment. Never offers files outside the
 *  open folders, files that may hold secrets, and documents that are not files. */
export class CurrentFileOffer implements Disposable {
  private readonly changed = new Emitter<undefined>();
  private readonly listening: Disposable;
  private offered: CurrentFile | null = null;
  private cancelLook: () => void = () => undefined;
  private looks = 0;
  /** The file that was checked last: selections in it need no new check. */
  private checked: { readonly path: string; readonly mayBeOffered: boolean } | null = null;

  constructor(private readonly deps: CurrentFileDeps) {
    this.listening = deps.editor.onDidChange(() => this.lookSoon());
    this.lookSoon();
  }

  readonly onDidChange = this.changed.event;

  get current(): CurrentFile | null {
    return this.offered;
  }

  dispose(): void {
    this.looks++;
    this.cancelLook();
    this.listening.dispose();
    this.changed.dispose();
  }

  private lookSoon(): void {
    this.cancelLook();
    this.cancelLook = this.deps.clock.after(quietMs, () => void this.look());
  }

  private async look(): Promise<void> {
    const look = ++this.looks;
    const { file, current: selection } = this.deps.editor;
    const mayBeOffered = file !== null && (await this.mayOffer(file));
    // The user moved on meanwhile.
    if (look !== this.looks) return;
    const next = file === null || !mayBeOffered ? null : this.offerOf(file, selection);
    if (next?.source === this.offered?.source && next?.label === this.offered?.label) return;
    this.offered = next;
    this.changed.fire(undefined);
  }

  private offerOf(file: string, selection: Selection | null): CurrentFile {
    const shown = new WorkspacePaths(this.deps.files).display(file);
    if (selection?.path !== file) return { kind: 'file', source: `file:${shown}`, label: shown };
    const lines = { from: selection.startLine, to: selection.endLine };
    return { kind: 'selection', source: 'selection', label: withLines(shown, lines) };
  }

  private async mayOffer(path: string): Promise<boolean> {
    const { files } = this.deps;
    if (new WorkspacePaths(files).display(path) === path) return false;
    if (this.checked?.path !== path) this.checked = { path, mayBeOffered: !(await holdsSecrets(files, path)) };
    return this.checked.mayBeOffered;
  }
}
