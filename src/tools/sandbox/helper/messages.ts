import type { GitPlaces, RemovedFiles } from '../git/gitGuard';

/** File access of a confined command: absolute paths, each with everything below it. Everything else is readable but
 *  not writable. */
export interface Limits {
  readonly writable: readonly string[];
  /** Read-only, even inside `writable`; a missing folder cannot be created. */
  readonly kept: readonly string[];
  /** Not readable. */
  readonly hidden: readonly string[];
  /** Readable, even inside `hidden`. */
  readonly shown: readonly string[];
}

/** Request from the window to its helper, with one answer each. */
export type HelperRequest =
  /** Starts the sandbox. The answer lists what this machine lacks, in words; empty when it works. */
  | { readonly kind: 'start'; readonly tools: HelperTools }
  /** Builds the command line that runs a command inside. `id` is a secret of the window and the command; `hosts` may
   *  be reached. */
  | {
      readonly kind: 'wrap';
      readonly id: string;
      readonly shell: string;
      readonly command: string;
      readonly limits: Limits;
      readonly hosts: readonly string[];
      /** Null: nothing to guard. */
      readonly git: GitPlaces | null;
    }
  /** Answer: actions blocked so far, in the library's words. */
  | { readonly kind: 'stopped'; readonly id: string }
  /** The command has ended. Answer: all blocked actions, in the library's words, and the files that were taken out. */
  | { readonly kind: 'ended'; readonly id: string };

/** Programs of this machine that the library needs, by absolute path: a program found by name may be the
 *  workspace's. */
export interface HelperTools {
  readonly ripgrep: string | null;
  /** Blocks access to sockets of this machine; Linux only. */
  readonly seccomp: string | null;
  /** Proxy of this machine, if it needs one. */
  readonly proxy: { readonly http?: string; readonly https?: string; readonly noProxy?: string };
}

export interface HelperAnswers {
  readonly start: { readonly problems: readonly string[] };
  /** `kept`: further files that the command cannot change. */
  readonly wrap: { readonly program: string; readonly args: readonly string[]; readonly kept: readonly string[] };
  readonly stopped: { readonly stopped: readonly string[] };
  readonly ended: { readonly stopped: readonly string[]; readonly removed: RemovedFiles };
}

/** The command with this id has to be ended: something appeared that makes Git run a program. */
export interface HelperAlarm {
  readonly danger: string;
}

/** `failure`: the reason. */
export type HelperReply = { readonly number: number } & (
  { readonly answer: HelperAnswers[keyof HelperAnswers] } | { readonly failure: string }
);
