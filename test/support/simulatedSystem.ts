/** Rules in which the file systems of the three systems differ, as far as the store meets them. Sources: docs/platforms.md. */
export interface SystemRules {
  /** Names with the same key are the same name. */
  readonly nameKey: (path: string) => string;
  /** The system has a call that makes a folder's names durable. */
  readonly syncsFolders: boolean;
  /** Names become durable in the order of their changes, through one journal. A sync of a file writes it up to the file's own names. */
  readonly namesInOrder: boolean;
  /** An open file can't be replaced, and keeps its name after its removal until it is closed. */
  readonly openFilesKeepNames: boolean;
}

export type SystemName = 'posix' | 'apfs' | 'ntfs';

const caseless = (path: string): string => path.normalize('NFC').toLowerCase();

export const systemRules: Readonly<Record<SystemName, SystemRules>> = {
  posix: { nameKey: (path) => path, syncsFolders: true, namesInOrder: false, openFilesKeepNames: false },
  apfs: { nameKey: caseless, syncsFolders: true, namesInOrder: false, openFilesKeepNames: false },
  ntfs: { nameKey: caseless, syncsFolders: false, namesInOrder: true, openFilesKeepNames: true },
};
