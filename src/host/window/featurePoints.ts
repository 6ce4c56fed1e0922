import type { Uri } from 'vscode';
import { Hooks, Slot } from '../common/slot';
import type { ExportSessions } from '../library/otherTranscripts';
import { FeatureCodeActions } from '../webviews/codeHandlers';

/** The places in the core of a window that features fill. */
export interface FeaturePoints {
  /** What views ask about code in answers. */
  readonly code: FeatureCodeActions;
  /** What `activate()` returns. */
  readonly exports: Slot<object>;
  /** Called before a store is opened, with its folder. Each resolves to a sentence for the user, or null. */
  readonly beforeOpening: Hooks<[folder: string], Promise<string | null>>;
  /** Erases copies of sessions outside the store. Never rejects: each resolves to sentences about what is left. */
  readonly forgetCopies: Hooks<[sessionIds: readonly string[]], Promise<readonly string[]>>;
  readonly exporter: Slot<ExportSessions>;
  /** Imports sessions from files that the user dropped or chose. */
  readonly importer: Slot<(files: readonly Uri[]) => Promise<void>>;
}

export function featurePoints(): FeaturePoints {
  return {
    code: new FeatureCodeActions(),
    exports: new Slot(),
    beforeOpening: new Hooks(),
    forgetCopies: new Hooks(),
    exporter: new Slot(),
    importer: new Slot(),
  };
}
