import { readWhole, type FileSystem } from '../../../../store/engine/fileSystem';
import { isEvidence } from './evidence';

/** Path of the evidence of an exported file. */
export function evidencePath(path: string): string {
  return `${path}.evidence.json`;
}

/** Removes the evidence of an exported file. Leaves any other file that has its name. */
export function removeEvidence(fileSystem: FileSystem, path: string): void {
  const evidence = evidencePath(path);
  if (fileSystem.stat(evidence)?.kind !== 'file') return;
  if (isEvidence(Buffer.from(readWhole(fileSystem, evidence)).toString('utf8'))) fileSystem.remove(evidence);
}
