import type { CrashHostOrder } from './crashRecord';

/** What a host is told that is going to be killed around Enter. */
export type EnterHostOrder = Pick<CrashHostOrder, 'storage' | 'workerEntry' | 'project' | 'url'>;

/** Where the store holds what was typed. */
export interface StoredTexts {
  readonly prompts: readonly string[];
  readonly queued: readonly string[];
  readonly drafts: readonly string[];
}
